/**
 * Measures Subluminal beside the alternatives, in one run, interleaved. Quote the ratios: absolutes depend on
 * the machine and its neighbours. The full form keeps each part's tables in bench/RESULTS.md; a short one
 * does so with --keep. Usage: npm run bench [-- [--short] [--keep] [PART …]]
 */
import { callOverhead } from './parts/call-overhead.mjs';
import { decide } from './parts/decide.mjs';
import { hooks } from './parts/hooks.mjs';
import { headless } from './parts/headless.mjs';
import { append, groupCommit, growth, overload, verify } from './parts/ledger.mjs';
import { layers } from './parts/layers.mjs';
import { millionCalls } from './parts/million-calls.mjs';
import { page } from './parts/page.mjs';
import { plane } from './parts/plane.mjs';
import { proxy } from './parts/proxy.mjs';
import { road } from './parts/road.mjs';
import { replay } from './parts/replay.mjs';
import { signedActions } from './parts/signed-actions.mjs';
import { underGarbage } from './parts/under-garbage.mjs';
import { worlds } from './parts/worlds.mjs';
import { keep, printed, stamp } from './results.mjs';

const PARTS = {
  road,
  hooks,
  plane,
  'call-overhead': callOverhead,
  'signed-actions': signedActions,
  'under-garbage': underGarbage,
  'million-calls': millionCalls,
  headless,
  proxy,
  worlds,
  layers,
  page,
  append,
  'group-commit': groupCommit,
  verify,
  growth,
  overload,
  decide,
  replay,
};

const args = process.argv.slice(2);
const short = args.includes('--short');
const names = args.filter((arg) => !arg.startsWith('--'));
const unknown = names.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  console.error(
    `error: there is no part \`${unknown.join('`, `')}\`; there are ${Object.keys(PARTS).join(', ')}`,
  );
  process.exit(2);
}

const keeps = !short || args.includes('--keep');
const about = stamp({ short });
console.log(about);
for (const [name, part] of Object.entries(PARTS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  console.log(`\n## ${name}\n`);
  const text = await printed(part, { short });
  if (keeps) keep(Object.keys(PARTS), name, about, text);
}
