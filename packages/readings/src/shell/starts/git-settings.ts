import type { Frame, Given } from '../frame.js';
import { HOLE } from '../marks.js';

/** Settings of git whose value it runs. */
const RUNS =
  /^(?:alias\.[^=]+|core\.(?:pager|editor|sshcommand|hookspath|fsmonitor|askpass|gitproxy)|pager\.[^=]+|credential\.(?:[^=]+\.)?helper|sequence\.editor|gpg\.(?:[^=]+\.)?program|interactive\.difffilter|uploadpack\.packobjectshook|(?:diff|filter|merge|difftool|mergetool|browser|man|trailer|remote)\.(?:[^=]+\.)?(?:external|command|cmd|textconv|clean|smudge|process|driver|uploadpack|receivepack|path))$/i;
/** Settings that read others out of a file. */
const READS = /^include(?:if\.[^=]+)?\.path$/i;
/** Programs that only show, edit or keep what they are given. */
const PLAIN =
  /^(?:cat|less(?: -\w+)*|more|true|false|:|delta|bat|diff-so-fancy|vim?|nvim|nano|emacs|code(?: (?:-w|--wait))?|cache|store|osxkeychain|libsecret|manager(?:-core)?|!gh auth git-credential|)$/;
const MOST = 16;

/**
 * The text that git runs for a setting; undefined where it runs none. A file with other settings is code that
 * only run time knows.
 */
export function runBySetting(name: string, value: string): string | undefined {
  if (READS.test(name)) return HOLE;
  return RUNS.test(name) && !PLAIN.test(value) ? value.replace(/^!/, '') : undefined;
}

/** The texts that git runs for the settings in its variables. */
export function runByVariables({ variables }: Frame, { assignments }: Given): readonly string[] {
  const get = (name: string): string | undefined =>
    assignments.find(([own]) => own === name)?.[1] ?? variables.get(name);
  const found: (string | undefined)[] = [];
  for (const name of ['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG']) {
    const file = get(name);
    if (file !== undefined && file !== '' && file !== '/dev/null') found.push(HOLE);
  }
  for (let at = 0; at < MOST; at += 1) {
    const name = get(`GIT_CONFIG_KEY_${at}`);
    if (name !== undefined) found.push(runBySetting(name, get(`GIT_CONFIG_VALUE_${at}`) ?? HOLE));
  }
  const quoted = get('GIT_CONFIG_PARAMETERS') ?? '';
  for (const [, one = ''] of quoted.slice(0, 4096).matchAll(/'([^']*)'(?!=)/g)) {
    const [name = '', ...value] = one.split('=');
    found.push(runBySetting(name, value.join('=')));
  }
  if (quoted.includes(HOLE)) found.push(HOLE);
  return found.filter((text) => text !== undefined);
}
