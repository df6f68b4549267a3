import {
  type JsonObject,
  listAt,
  numberAt,
  Sha256Hex,
  SublError,
  textAt,
  textsAt,
  valueAt,
} from '@subluminal/core-types';
import type {
  LayerChange,
  LayerDone,
  LayerPatch,
  LayerRow,
  Signs,
  World,
  Worlds,
} from '../protocol/worlds.js';

const MOST_LAYERS = 200;
const MOST_LEFT = 200;
const MOST_LINES = 4000;

/** The layers of `sub world status --json`. */
export function worldsIn(answer: JsonObject): Omit<Worlds, 'ever'> {
  const all = listAt(answer, 'layers');
  const layers = all
    .slice(-MOST_LAYERS)
    .map((one): LayerRow => ({ ...aboutIn(one), bytes: numberAt(one, 'bytes') ?? 0 }));
  return { layers, more: all.length - layers.length };
}

/** The layer of `sub world diff --json`. Throws `failed` for one without a digest. */
export function worldIn(answer: JsonObject): World {
  const [shown, overwrite] = [textAt(answer, 'digest'), textAt(answer, 'overwrite')];
  if (![shown, overwrite].every((one) => Sha256Hex.safeParse(one).success))
    throw new SublError('failed', '`sub` gave no digest');
  return {
    ...aboutIn(answer),
    shown,
    overwrite,
    changes: listAt(answer, 'changes').map(changeIn),
    more: numberAt(answer, 'more') ?? 0,
  };
}

/** The lines of `sub world diff --patch --json PATH`: of that path, and of none below it. */
export function patchIn(answer: JsonObject, path: string): LayerPatch {
  const change = listAt(answer, 'changes').find((one) => textAt(one, 'path') === path);
  const lines = change === undefined ? [] : textsAt(change, 'patch');
  const more = Math.max(0, lines.length - MOST_LINES);
  // Every line of a file has a sign of its own before it.
  const isWhole = more === 0 && lines.some((line) => line.startsWith('@@ '));
  return { lines: lines.slice(0, MOST_LINES), more, is_whole: isWhole };
}

/** The end of `sub world commit --json` or `sub world discard --json`. */
export function doneIn(answer: JsonObject): LayerDone {
  const asks = listAt(answer, 'asks').map((ask) => ({
    path: textAt(ask, 'path'),
    what: `not taken over, since you were asked: ${textsAt(ask, 'reasons').join('; ')}`,
    help: '',
  }));
  const left = [...listAt(answer, 'conflicts'), ...listAt(answer, 'refused')].map((one) => ({
    path: textAt(one, 'path'),
    what: textAt(one, 'what'),
    help: textAt(one, 'help'),
  }));
  const stays = textsAt(answer, 'left').map((path) => ({
    path,
    what: 'it stays: the world has made a folder above it anew',
    help: 'throw that folder away',
  }));
  const all = [...left, ...asks, ...stays];
  return {
    entry: numberAt(answer, 'entry') ?? null,
    done: numberAt(answer, 'discarded') ?? textsAt(answer, 'committed').length,
    left: all.slice(0, MOST_LEFT),
    more: Math.max(0, all.length - MOST_LEFT),
  };
}

function aboutIn(of: JsonObject): Omit<LayerRow, 'bytes'> {
  return {
    layer: textAt(of, 'layer'),
    folder: textAt(of, 'folder'),
    since: numberAt(of, 'since') ?? 0,
    label: textAt(of, 'label'),
    run: textAt(of, 'run_id'),
    in_world: valueAt(of, 'in_world') === true,
    ...signsIn(of),
  };
}

function signsIn(of: JsonObject): Signs {
  const count = (name: string): number => numberAt(of, 'fs_diff', name) ?? 0;
  return {
    added: count('added'),
    modified: count('modified'),
    deleted: count('deleted'),
    truncated: valueAt(of, 'fs_diff', 'truncated') === true,
  };
}

function changeIn(of: JsonObject): LayerChange {
  const [sign, state] = [textAt(of, 'sign'), textAt(of, 'state')];
  return {
    path: textAt(of, 'path'),
    sign: sign === '+' || sign === '-' ? sign : '~',
    how: textAt(of, 'how'),
    kind: textAt(of, 'kind'),
    size: numberAt(of, 'size') ?? null,
    // One that is not known is not taken over without a word.
    state: state === 'taken' || state === 'asks' ? state : 'left',
    reasons: textsAt(of, 'reasons'),
    why: textAt(of, 'why'),
    what: textAt(of, 'what'),
    help: textAt(of, 'help'),
    remark: textAt(of, 'remark'),
    overwrite: valueAt(of, 'overwrite') === true,
  };
}
