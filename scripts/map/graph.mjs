/** @import { Imports } from './tree.mjs' */

/**
 * The rooms that import each other in a circle, a list a circle (Tarjan's strongly connected components).
 * @param {Imports} imports @returns {string[][]}
 */
export function circles(imports) {
  const order = new Map();
  const low = new Map();
  /** @type {string[]} */
  const open = [];
  /** @type {string[][]} */
  const found = [];
  /** @param {string} name */
  const visit = (name) => {
    order.set(name, order.size);
    low.set(name, order.get(name));
    open.push(name);
    for (const other of imports.get(name) ?? []) {
      if (!order.has(other)) visit(other);
      if (open.includes(other)) low.set(name, Math.min(low.get(name), low.get(other)));
    }
    if (low.get(name) !== order.get(name)) return;
    const circle = open.splice(open.indexOf(name));
    if (circle.length > 1) found.push(circle);
  };
  for (const name of imports.keys()) if (!order.has(name)) visit(name);
  return found;
}

/**
 * The rooms by floor, the lowest first. A room stands one floor above the highest that it imports from; rooms
 * of a circle have no floor of their own and stand on floor 0.
 * @param {Imports} imports @returns {ReadonlyMap<number, string[]>}
 */
export function floors(imports) {
  const round = new Set(circles(imports).flat());
  const known = new Map();
  /** @param {string} name @returns {number} */
  const floorOf = (name) => {
    const floor = known.get(name);
    if (floor !== undefined) return floor;
    const below = round.has(name) ? [] : [...(imports.get(name) ?? [])].map(floorOf);
    const own = below.length === 0 ? 0 : Math.max(...below) + 1;
    known.set(name, own);
    return own;
  };
  const byFloor = new Map();
  for (const name of [...imports.keys()].toSorted()) {
    const floor = floorOf(name);
    byFloor.set(floor, [...(byFloor.get(floor) ?? []), name]);
  }
  return new Map([...byFloor].toSorted(([a], [b]) => a - b));
}
