import { ONE, STAR } from '../shell/marks.js';

/** Keys of a tool that looks through files whose texts say which, as globs. */
const GLOB_KEYS = /^(?:globs?|includes?|includepatterns?|filepatterns?|fileglobs?)$/;

/** Whether a key, without its `_` and `-`, holds globs of the files that are looked through. */
export function isGlobKey(plainKey: string): boolean {
  return GLOB_KEYS.test(plainKey);
}

const MAX_ALTERNATIVES = 64;

/**
 * The names of files that a glob for a search may mean, with marks for its patterns: a `*` there takes a dot
 * at the start of a name, too. Globs that leave files out name none. Undefined for more than are read.
 */
export function namesOfGlob(text: string): readonly string[] | undefined {
  const names: string[] = [];
  for (const glob of text.split(/[\s,]+(?![^{}]*\})/)) {
    if (glob === '' || glob.startsWith('!')) continue;
    const all = alternatives(glob);
    if (all === undefined || names.length + all.length > MAX_ALTERNATIVES) return undefined;
    for (const one of all) names.push(...marked(one));
  }
  return names;
}

function alternatives(glob: string): readonly string[] | undefined {
  let open = [glob];
  for (let depth = 0; depth < 8; depth += 1) {
    const next = open.flatMap((one) => {
      const found = /\{([^{}]*)\}/.exec(one);
      if (found === null) return [one];
      const [all, inner = ''] = found;
      const end = found.index + all.length;
      return inner.split(',').map((part) => one.slice(0, found.index) + part + one.slice(end));
    });
    if (next.length > MAX_ALTERNATIVES) return undefined;
    if (next.every((one, at) => one === open[at]) && next.length === open.length) return next;
    open = next;
  }
  return undefined;
}

/** A glob without a folder, or behind `**`, is one of any folder. */
function marked(glob: string): readonly string[] {
  const name = glob
    .replace(/^(?:\*\*\/)+/, '')
    .replace(/\[[^\]/]*\]/g, ONE)
    .replaceAll('?', ONE)
    .replace(/\*+/g, STAR);
  const start = name.slice(name.lastIndexOf('/') + 1);
  const hidden = new RegExp(`^${STAR}(?=.*[^${STAR}${ONE}])`, 'su');
  if (!hidden.test(start)) return [name];
  const folder = name.slice(0, name.length - start.length);
  const rest = start.slice(STAR.length);
  return [name, folder + (rest.startsWith('.') ? rest : `.${rest}`)];
}
