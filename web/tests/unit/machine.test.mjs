// The drawing of a machine: whatever the groups, each box has a size and lies inside its own.
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { loader } from "../load.mjs";

let vite;
let layout;

before(async () => {
  vite = await loader();
  layout = await vite.load("/src/layout/machine.ts");
});
after(() => vite.close());

// A tree of groups on grids of [columns, rows], outermost first.
function tree(grids) {
  const levels = grids.map(([columns, rows], depth) => ({ name: `level${depth}`, topology: "mesh2d", columns, rows, members: columns * rows, used: columns * rows })).reverse();
  const nodes = [];
  const grow = (parent, depth) => {
    const [columns, rows] = grids[depth];
    for (let i = 0; i < columns * rows; ++i) {
      const id = `${parent ?? "n"}.${i}`;
      nodes.push({ id, level: `level${depth}`, parent, x: i % columns, y: Math.floor(i / columns), used: true, owner: null });
      if (depth + 1 < grids.length) grow(id, depth + 1);
    }
  };
  grow(null, 0);
  return { levels, nodes, links: [] };
}

function look(box, outer) {
  assert.ok(box.width > 0 && box.height > 0, `${box.node.id}: ${box.width} by ${box.height}`);
  if (outer) {
    assert.ok(box.x >= outer.x && box.x + box.width <= outer.x + outer.width + 1e-9, box.node.id);
    assert.ok(box.y >= outer.y && box.y + box.height <= outer.y + outer.height + 1e-9, box.node.id);
  }
  for (const child of box.children) look(child, box);
}

const sides = [1, 2, 3, 4, 5, 8];
for (const columns of sides) {
  it(`draws ${columns} groups in a row with all grids of cubes and devices`, () => {
    for (const cubes of sides) {
      for (const devices of [[1, 1], [2, 4], [4, 2], [1, 8], [8, 8]]) {
        const drawn = layout.machine(tree([[columns, 2], [cubes, cubes], devices]));
        assert.equal(drawn.boxes.length, 2 * columns);
        for (const box of drawn.boxes) {
          look(box, null);
          assert.ok(box.y + box.height <= drawn.height);
        }
      }
    }
  });
}
