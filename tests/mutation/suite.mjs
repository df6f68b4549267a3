/**
 * Stands in for `vitest` where test files are loaded to be run many times over in one process, one test at a
 * time. It knows what the tests of the ledger use.
 */
import { chai, JestAsymmetricMatchers, JestChaiExpect, JestExtend, setState } from '@vitest/expect';
import { spyOn } from '@vitest/spy';
import { format } from 'node:util';

for (const plugin of [JestExtend, JestChaiExpect, JestAsymmetricMatchers]) chai.use(plugin);

/** As vitest's, without snapshots. */
export const expect = (value, message) => chai.expect(value, message);
Object.assign(expect, chai.expect);
setState({ assertionCalls: 0 }, expect);

const POLL_MS = 20;
const POLLED_MS = 5000;
expect.poll = (ask, { timeout = POLLED_MS } = {}) =>
  new Proxy(
    {},
    {
      get:
        (_, matcher) =>
        async (...args) => {
          for (const end = performance.now() + timeout; ;) {
            try {
              return expect(await ask())[matcher](...args);
            } catch (error) {
              if (performance.now() > end) throw error;
            }
            await new Promise((resolve) => setTimeout(resolve, POLL_MS));
          }
        },
    },
  );

/** As vitest's. */
export const vi = {
  spyOn,
  waitFor: async (check) => {
    for (const end = performance.now() + POLLED_MS; ;) {
      try {
        return await check();
      } catch (error) {
        if (performance.now() > end) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  },
};

const HOOKS = ['beforeAll', 'afterAll', 'beforeEach', 'afterEach'];

/** A file or a `describe`: its hooks, and whether what stands before its first test was done. */
class Group {
  constructor(name, parent) {
    Object.assign(this, { name, parent, begun: false });
    for (const hook of HOOKS) this[hook] = [];
  }

  /** From the outermost to this one. */
  get chain() {
    return [...(this.parent?.chain ?? []), this];
  }
}

const loading = { group: new Group('', null), tests: [] };

/** Every test of a file. @param {() => Promise<unknown>} load imports it */
export async function testsOf(file, load) {
  loading.group = new Group(file, null);
  loading.tests = [];
  await load();
  return loading.tests;
}

function inGroup(name, fill) {
  const outer = loading.group;
  loading.group = new Group(name, outer);
  fill();
  loading.group = outer;
}

function add(name, first, second) {
  const run = typeof first === 'function' ? first : second;
  const { group, tests } = loading;
  const path = [...group.chain.map((one) => one.name), name].join(' > ');
  // Asked for by its name, so that each has one of its own.
  const before = tests.filter((one) => one.path === path).length;
  tests.push({ path, name: before === 0 ? path : `${path} (${before + 1})`, group, run });
}

const each = (register) => (rows) => (name, first, second) => {
  // As vitest: rows are spread over the parameters only where all of them are arrays.
  const isTable = rows.every(Array.isArray);
  for (const row of rows) {
    const args = Array.isArray(row) ? row : [row];
    const bound = (one) => (typeof one === 'function' ? () => one(...(isTable ? args : [row])) : one);
    const filled = name.replaceAll(/\$(\w+)/g, (_, key) => String(args[0]?.[key]));
    register(
      format(filled, ...args.slice(0, (filled.match(/%[sdijfoO]/g) ?? []).length)),
      bound(first),
      bound(second),
    );
  }
};

export const it = Object.assign(add, {
  each: each(add),
  skipIf: (isSkipped) => (isSkipped ? () => undefined : add),
});
export const test = it;
export const describe = Object.assign(inGroup, { each: each(inGroup) });
export const [beforeAll, afterAll, beforeEach, afterEach] = HOOKS.map((hook) => (work) => {
  loading.group[hook].push(work);
});

/**
 * Runs one test. What stands before all tests of its group is done once, with `around` off.
 *
 * @param {{ on: () => void, off: () => void }} around called before and after what belongs to the test alone
 */
export async function runTest({ group, run }, around) {
  for (const one of group.chain) {
    if (!one.begun) for (const work of one.beforeAll) await work();
    one.begun = true;
  }
  const chain = group.chain;
  const after = chain.toReversed().flatMap((one) => one.afterEach);
  around.on();
  try {
    for (const work of chain.flatMap((one) => one.beforeEach)) await work();
    await run({});
  } finally {
    try {
      for (const work of after) await work();
    } finally {
      around.off();
    }
  }
}

/** Undoes what was done before the tests of a file, so that the next one begins anew. */
export async function beginAnew({ group }) {
  for (const one of group.chain.toReversed()) {
    const hooks = one.begun ? one.afterAll : [];
    one.begun = false;
    // What a broken test left cannot always be put away.
    for (const work of hooks) await (async () => work())().catch(() => undefined);
  }
}
