// Pages whose commands this engine does not have yet: they say so and give the command.
import { copyCli } from "../parts/actions.ts";
import { commandLine, inspectInputs } from "../state/request.ts";
import { inputs } from "../state/store.ts";

function Later({ title, text, command }: { title: string; text: string; command: string }) {
  const chosen = inspectInputs(inputs.value);
  return (
    <>
      <div class="head">
        <div>
          <h1>{title}</h1>
          <p class="crumb">{text}</p>
        </div>
      </div>
      <section class="panel" aria-label={title} data-ready>
        <div class="pad form">
          <p>On the command line:</p>
          <p class="mono">{commandLine(command, chosen.model === undefined ? {} : { model: chosen.model })}</p>
          <p class="row">
            <button class="btn" onClick={copyCli}>Copy the command of the last page</button>
          </p>
        </div>
      </section>
    </>
  );
}

export const PlanPage = () => <Later title="What should I launch?" command="plan serve" text="Ranked plans under a goal: a service level, a budget or a step time. The page opens with the plan command of a later version." />;

export const ValidatePage = () => (
  <Later title="Can I believe it?" command="validate" text="Predictions against published measurements, error per class. Run it on the command line; the page follows in a later version." />
);
