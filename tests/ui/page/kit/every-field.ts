import type { Page } from 'playwright-core';

/** Words of the protocol that the page reads as words, and no text of anybody. */
const OWN =
  'kind decision status state t sign how access code type slot layer shown answer ' +
  'outcome session ledger token hash severity';

/** Layers, since the homes of these tests have none: the answers of the routes of worlds. */
const SIGNS = { added: 1, modified: 1, deleted: 0, truncated: false };
const ROW = { ...SIGNS, layer: '0123456789abcdef', folder: 'f', since: 1, label: 'l', run: 'r' };
const CHANGE = {
  overwrite: false,
  path: 'p',
  sign: '+',
  how: 'added',
  kind: 'file',
  size: 1,
  reasons: ['r', 's'],
};
const TOLD = { why: 'w', what: 'what', help: 'help', remark: 'remark' };
const CHANGES = (['taken', 'asks', 'left'] as const).flatMap((state) =>
  Array.from({ length: 60 }, () => ({ ...CHANGE, ...TOLD, state })),
);
const WORLDS = {
  '/ui/api/worlds': {
    layers: Array.from({ length: 60 }, () => ({ ...ROW, in_world: true, bytes: 1 })),
    more: 0,
  },
  '/ui/api/world/0123456789abcdef': { ...ROW, in_world: true, shown: 's', changes: CHANGES, more: 0 },
};

/** The words that the page is told instead of the gateway's. */
export interface Instead {
  readonly strings: readonly string[];
  /** Every question is refused, with a message and a help of the strings. */
  readonly isRefused: boolean;
  /** Everything is stopped, and the policy file did not load, each for a reason of the strings. */
  readonly isStopped: boolean;
}

/** Has each text of each answer be one of the strings, one after the other: no field is left out. */
export async function tellInstead(page: Page, { strings, isRefused, isStopped }: Instead): Promise<void> {
  await page.addInitScript(
    ({ own, all, worlds, refused, stopped }) => {
      let at = 0;
      const next = (): string => {
        at += 1;
        return all[at % all.length] ?? '';
      };
      const bent = (value: unknown, name: string): unknown => {
        if (typeof value === 'string') return own.includes(name) ? value : next();
        if (Array.isArray(value)) return value.map((one) => bent(one, name));
        if (typeof value !== 'object' || value === null) return value;
        return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, bent(one, key)]));
      };
      // Signed texts are checked, and have a test of their own.
      const isSigned = (path: string): boolean => /\/(?:session|head|raw|proof|histogram|at)\b/.test(path);
      const ask = window.fetch.bind(window);
      window.fetch = async (input, init) => {
        const { pathname, searchParams } = new URL(typeof input === 'string' ? input : '', location.href);
        if (!pathname.startsWith('/ui/api/') || isSigned(pathname)) return ask(input, init);
        const headers = { 'content-type': 'application/json' };
        if (refused) {
          const error = { code: 'usage', message: next(), help: next() };
          return new Response(JSON.stringify({ error }), { status: 400, headers });
        }
        const canned = (worlds as Record<string, object>)[pathname];
        if (pathname.startsWith('/ui/api/world/') && location.search.includes('f=')) {
          const lines = Array.from({ length: 300 }, () => `+${next()}`);
          if (searchParams.has('path')) return new Response(JSON.stringify({ lines, more: 0 }), { headers });
        }
        const real = canned === undefined ? await ask(input, init) : new Response(JSON.stringify(canned));
        const answer: unknown = await real.json();
        return new Response(JSON.stringify(bent(answer, '')), { status: real.status, headers });
      };
      const parse = JSON.parse.bind(JSON);
      JSON.parse = (text: string, reviver) => {
        const value: unknown = parse(text, reviver);
        if (!text.startsWith('{"t":"state"')) return value;
        const frame = bent(value, '') as { state: Record<string, unknown> };
        if (stopped) {
          frame.state['panicked'] = { since: 1, reason: next() };
          frame.state['policy'] = { ...(frame.state['policy'] as object), problem: next() };
        }
        return frame;
      };
    },
    { own: OWN.split(' '), all: strings, worlds: WORLDS, refused: isRefused, stopped: isStopped },
  );
}
