// Takes a layer over, as `commit.ts` does, in a process that can be killed or be another user's.
//   commit.mjs LAYERS ID
import { randomBytes } from 'node:crypto';
import {
  applyPlan,
  Layer,
  layerPlace,
  pinned,
  planCommit,
  readLayer,
  recoverCommit,
  shown,
} from '../../../packages/layers/dist/index.js';

const [, , layers = '', id = ''] = process.argv;
const about = readLayer(layerPlace(layers, id));
if (about === undefined) throw new Error('no layer');
const layer = new Layer(about);
const { project, upper } = layer;
const recovered = recoverCommit(about.place.journal, project) !== undefined;
await layer.look();
const askedBy = () => undefined;
const planOf = (agreed) => planCommit({ diff: layer.diff, project, upper, paths: [], agreed, askedBy });
const { waiting } = await planOf([]);
const plan = await planOf(await pinned(waiting, layer));
process.stdout.write('begins\n');
const token = randomBytes(16).toString('hex');
const applied = await applyPlan(plan, { project, upper, journal: about.place.journal, token });
layer.close();
const left = [...applied.conflicts, ...plan.refusals].map(({ path, why, system = '' }) =>
  `${why} ${shown(path)} ${system}`.trim(),
);
process.stdout.write(
  `${JSON.stringify({ recovered, left, isFull: applied.isFull, done: applied.done.length })}\n`,
);
