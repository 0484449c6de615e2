// The rail: model, workload, plan, machine. Values come back from the engine with the defaults filled in.
import { useState } from "preact/hooks";
import type { Explore } from "../engine/types.ts";
import { call } from "../engine/engine.ts";
import { bytes, count } from "../format/format.ts";
import { knobNames, knobUnits } from "../format/names.ts";
import { exploreRequest } from "../state/request.ts";
import { inputs, setInputs } from "../state/store.ts";
import { say } from "./actions.ts";
import { Degree, Group, Knob, Row, Segments, Select, Text } from "./controls.tsx";
import { machines, ModelSearch, Upload } from "./models.tsx";

export type Filled = Record<string, unknown>;

export function at(filled: Filled, path: string): unknown {
  const own = inputs.value[path];
  if (own !== undefined) return own;
  return path.split(".").reduce<unknown>((value, key) => (typeof value === "object" && value !== null ? (value as Filled)[key] : undefined), filled);
}

const texts = (...values: string[]) => values.map((value) => ({ value, text: value }));

export const reset = (prefix: string): void => {
  const keys = Object.keys(inputs.peek()).filter((key) => key === prefix || key.startsWith(`${prefix}.`));
  setInputs(Object.fromEntries(keys.map((key) => [key, null])), `reset ${prefix}`);
};

export function Model() {
  return (
    <Group title="Model" action={<Upload />}>
      <ModelSearch />
    </Group>
  );
}

export function Workload({ filled }: { filled: Filled }) {
  const phase = at(filled, "phase");
  return (
    <Group title="Workload">
      <Row path="phase" label="Phase">
        <Segments path="phase" label="Phase" value={phase} choices={texts("prefill", "decode")} />
      </Row>
      <Knob path="context" label={phase === "decode" ? "Context" : "Prompt"} value={at(filled, "context")} min={1024} max={1048576} unit="tok" whole />
      <Knob path="batch" label="Batch" value={at(filled, "batch")} min={1} max={1024} whole />
      <Row path="precision" label="Weights">
        <Segments path="precision" label="Weight precision" value={at(filled, "precision")} choices={texts("bf16", "fp8", "int4")} />
      </Row>
      <details class="more">
        <summary>More precisions</summary>
        <Row path="kv_precision" label="KV cache">
          <Segments path="kv_precision" label="KV cache precision" value={at(filled, "kv_precision")} choices={texts("bf16", "fp8", "int4")} />
        </Row>
        <Row path="activation_precision" label="Activations">
          <Segments path="activation_precision" label="Activation precision" value={at(filled, "activation_precision")} choices={texts("bf16", "fp8")} />
        </Row>
      </details>
    </Group>
  );
}

// The search's best plan on the machine as set, as one step of undo.
async function suggest(): Promise<void> {
  const request = { ...exploreRequest(inputs.peek()), depth: "full", objectives: [{ minimize: "latency_s" }] };
  const answer = await call<Explore>("explore", request);
  if ("failure" in answer) return say(`${answer.failure.message} ${answer.failure.hint}`);
  const best = answer.reply.result.best;
  if (!best) return say("No plan of the search fits this machine.");
  setInputs(Object.fromEntries(Object.entries(best.plan).map(([key, value]) => [`plan.${key}`, value])), "suggested plan", true);
  say("The fastest plan of the search; Ctrl Z takes it back.");
}

export function Plan({ filled }: { filled: Filled }) {
  const isChiplet = at(filled, "machine.base") !== undefined;
  return (
    <Group title="Plan" action={<button class="lnk" onClick={() => void suggest()}>Suggest</button>}>
      <div class="degs" role="group" aria-label="Parallel degrees">
        {["tp", "cp", "pp", "dp", "ep"].map((axis) => (
          <Degree key={axis} path={`plan.${axis}`} label={axis.toUpperCase()} value={at(filled, `plan.${axis}`)} />
        ))}
      </div>
      {isChiplet
        ? ["tp", "cp"].map((axis) => (
            <Row key={axis} path={`plan.${axis}_placement`} label={`${axis.toUpperCase()} across`}>
              <Segments path={`plan.${axis}_placement`} label={`${axis.toUpperCase()} placement`} value={at(filled, `plan.${axis}_placement`)} choices={[{ value: "pe", text: "PE" }, { value: "cube", text: "cube" }]} />
            </Row>
          ))
        : null}
      <Row path="plan.cp_ring_variant" label="CP ring">
        <Segments path="plan.cp_ring_variant" label="CP ring" value={at(filled, "plan.cp_ring_variant")} choices={[{ value: "kv", text: "K, V" }, { value: "qoml", text: "Q, O/m/l" }]} />
      </Row>
      <Row path="plan.kv_shard_mode" label="KV heads">
        <Segments path="plan.kv_shard_mode" label="KV heads" value={at(filled, "plan.kv_shard_mode")} choices={texts("split", "replicate")} />
      </Row>
      <Row path="plan.ffn_shard_scope" label="FFN over">
        <Segments path="plan.ffn_shard_scope" label="FFN over" value={at(filled, "plan.ffn_shard_scope")} choices={[{ value: "TP", text: "TP" }, { value: "TP+CP", text: "+CP" }, { value: "TP+CP+DP", text: "+DP" }]} />
      </Row>
    </Group>
  );
}

const ranges: Record<string, readonly [min: number, max: number]> = {
  pe_hbm_gb: [1, 256], bw_hbm_gbs: [32, 8192], peak_tflops_f16: [1, 1024], bw_intra_gbs: [64, 8192], bw_inter_gbs: [16, 4096], bw_intersip_gbs: [6.25, 1600],
};

export function Knobs({ filled }: { filled: Filled }) {
  return (
    <>
      {Object.entries(ranges).map(([knob, [min, max]]) => (
        <Knob key={knob} path={`machine.${knob}`} label={knobNames[knob]!} value={at(filled, `machine.${knob}`)} min={min} max={max} unit={knobUnits[knob]!} />
      ))}
    </>
  );
}

export function MachineChoice({ filled }: { filled: Filled }) {
  const now = at(filled, "machine.base") ?? at(filled, "machine.name") ?? inputs.value.machine;
  return (
    <Select
      path="machine" label="Machine" value={now}
      choices={machines.value.length === 0 ? texts(String(now ?? "chiplet-sip")) : machines.value.map((entry) => ({ value: entry.name, text: `${entry.name} (${entry.devices} × ${entry.device})` }))}
      set={(value) => setInputs({ machine: value }, `machine ${String(value)}`, false, (key) => /^(explore\.axes\.)?machine\./.test(key) || /_placement$/.test(key))}
    />
  );
}

const hidden = new Set(["base", "sips", "sip_topology", ...Object.keys(ranges)]);

// The knobs of whatever machine it is, to drag.
export function MachineKnobs({ filled }: { filled: Filled }) {
  const machine = (filled.machine ?? {}) as Filled;
  return "base" in machine || filled.machine === undefined ? <Knobs filled={filled} /> : <Levels machine={machine} filled={filled} />;
}

export function MachineGroup({ filled }: { filled: Filled }) {
  const [more, setMore] = useState(false);
  const machine = (filled.machine ?? {}) as Filled;
  const isChiplet = "base" in machine || filled.machine === undefined;
  const rest = Object.keys(machine).filter((key) => !hidden.has(key));
  return (
    <Group title="Machine" action={<button class="lnk" onClick={() => reset("machine")}>Reset</button>}>
      <MachineChoice filled={filled} />
      {isChiplet ? (
        <>
          <Knobs filled={filled} />
          <Row path="machine.sips" label="SIPs">
            <Segments path="machine.sips" label="SIPs" value={at(filled, "machine.sips")} choices={[1, 2, 4, 8, 16].map((value) => ({ value, text: String(value) }))} />
          </Row>
          <Row path="machine.sip_topology" label="SIP links">
            <Segments path="machine.sip_topology" label="SIP links" value={at(filled, "machine.sip_topology")} choices={[{ value: "ring", text: "ring" }, { value: "mesh2d", text: "mesh" }, { value: "torus2d", text: "torus" }]} />
          </Row>
          <details class="more" open={more} onToggle={(event) => setMore(event.currentTarget.open)}>
            <summary>More of the machine</summary>
            {more ? rest.map((key) => (
              <Row key={key} path={`machine.${key}`} label={key.replaceAll("_", " ")}>
                <Text path={`machine.${key}`} label={key} value={at(filled, `machine.${key}`)} />
              </Row>
            )) : null}
          </details>
        </>
      ) : (
        <Levels machine={machine} filled={filled} />
      )}
    </Group>
  );
}

// Own chips: rates of a device and of the links of each level, as sliders; the field takes a unit.
function Levels({ machine, filled }: { machine: Filled; filled: Filled }) {
  const device = (machine.device ?? {}) as Filled;
  const peaks = (device.peak_flop_per_s ?? {}) as Record<string, number>;
  const levels = (machine.levels ?? []) as { name: string; count: number; topology: string; link: { bandwidth_bytes_per_s: number } }[];
  const precision = String(at(filled, "activation_precision") ?? "bf16");
  return (
    <>
      <p class="about">{String(device.name ?? "")}{device.usable_memory_bytes ? `, ${bytes(Number(device.usable_memory_bytes))} each` : ""}</p>
      <Knob path="machine.device.memory_bandwidth_bytes_per_s" label="Memory rate" value={device.memory_bandwidth_bytes_per_s} min={2 ** 36} max={2 ** 45} isScaled />
      {peaks[precision] === undefined ? null : <Knob path={`machine.device.peak_flop_per_s.${precision}`} label={`Peak ${precision}`} value={peaks[precision]} min={2 ** 43} max={2 ** 53} isScaled />}
      {levels.map((level) => (
        <div key={level.name}>
          <Knob path={`machine.levels.${level.name}.link.bandwidth_bytes_per_s`} label={`Links, ${level.name}`} value={level.link.bandwidth_bytes_per_s} min={2 ** 30} max={2 ** 43} isScaled />
          <p class="about">{level.name}: {count(level.count)}, {level.topology}</p>
        </div>
      ))}
    </>
  );
}
