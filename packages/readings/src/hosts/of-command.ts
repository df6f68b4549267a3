import type { SimpleCommand } from '../shell/command.js';
import { HOLE, ONE } from '../shell/marks.js';
import { verbFirst } from '../shell/operands/global-options.js';
import { Operands } from '../effects/touch.js';
import { hostsInText } from './in-text.js';

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const SSH_TAKES = set('-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w');
const CURL_TAKES = set(
  '-o --output -D --dump-header -c --cookie-jar -T --upload-file -K --config -E --cert --key -d --data --data-binary --data-raw --data-urlencode -F --form -H --header -X --request -u --user -A --user-agent -e --referer -b --cookie -x --proxy --resolve --connect-to -m --max-time -w --write-out --retry -r --range -C --cacert --json',
);
/** Programs whose operands are hosts, or URLs without their scheme. */
const HOST_OPERANDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['ssh', SSH_TAKES],
  ['mosh', SSH_TAKES],
  ['curl', CURL_TAKES],
  ['wget', set('-O --output-document -P --directory-prefix --header --post-data --post-file -U -o')],
  ['http', set('-a --auth')],
  ['https', set('-a --auth')],
  ['nc', set('-p -s -w -X -x -e -c')],
  ['ncat', set('-p -s -w -e -c')],
  ['netcat', set('-p -s -w -e -c')],
  ['telnet', set('-l -b')],
  ['ftp', set('')],
  ['sftp', set('-i -P -o')],
  ['ping', set('-c -i -s -w -W -t')],
  ['dig', set('-p -t')],
  ['nslookup', set('')],
  ['host', set('-t')],
]);
/** Programs that reach the network whatever their operands are. */
const NETWORK: ReadonlySet<string> = set(
  'ssh mosh scp sftp ftp curl wget http https nc ncat netcat telnet socat ping dig nslookup host rsync aria2c nmap',
);
const NETWORK_VERBS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['git', set('clone fetch pull push ls-remote remote submodule')],
  ['npm', set('install i ci publish add update audit')],
  ['pnpm', set('install i add publish update dlx')],
  ['yarn', set('install add publish up dlx')],
  ['pip', set('install download')],
  ['pip3', set('install download')],
  ['cargo', set('install publish fetch update')],
  ['docker', set('pull push login')],
  ['gh', set('api pr issue repo release run auth gist')],
]);

/** Whether a command reaches the network by itself, as far as its words tell. */
export function reachesNetwork({ program, words }: SimpleCommand, hosts: readonly string[]): boolean {
  if (hosts.length > 0 || NETWORK.has(program)) return true;
  const verbs = NETWORK_VERBS.get(program);
  if (verbs === undefined) return false;
  const verb = verbFirst(program, words)
    .slice(1)
    .find((word) => !word.startsWith('-'));
  return verb !== undefined && verbs.has(verb);
}

/** Programs with operands as `host:path`. */
const COPIERS: ReadonlySet<string> = set('scp rsync git sftp');

/** Programs whose words are texts to look for, or messages: an address in them is not reached. */
const TEXTS: ReadonlySet<string> = set('grep egrep fgrep zgrep rg ag ack sed gsed jq yq test [');
/** Verbs of `git` that take messages and texts to look for, and reach nobody. */
const WRITTEN: ReadonlySet<string> = set(
  'commit tag log show grep stash notes diff merge rebase cherry-pick revert branch add status blame',
);
/** Verbs of `gh` that only talk to its own host. */
const MESSAGES: ReadonlySet<string> = set('pr issue release');

function isOnlyText(program: string, words: readonly string[]): boolean {
  if (TEXTS.has(program)) return true;
  if (program !== 'gh' && program !== 'git') return false;
  const verb = verbFirst(program, words)[1] ?? '';
  if (program === 'gh') return MESSAGES.has(verb);
  return WRITTEN.has(verb);
}

/** The hosts that a command names: in URLs, as `host:path`, as the operands of its program, in `/dev/tcp`. */
export function hostsOfCommand({ program, words, redirections }: SimpleCommand): readonly string[] {
  const takes = HOST_OPERANDS.get(program);
  const isNamed = takes !== undefined || COPIERS.has(program) || redirections.length > 0;
  if (!isNamed && !words.some((word) => word.includes('//'))) return [];
  if (isOnlyText(program, words)) return [];
  const operands = new Operands(words.slice(1));
  const plain = takes === undefined ? [] : operands.plain(takes);
  const direct = program === 'ssh' || program === 'nc' || program === 'telnet' ? plain.slice(0, 1) : plain;
  const texts = [
    ...words.slice(1),
    ...direct.filter((word) => !word.includes('://')).map((word) => `//${word.replace(/^[^@/]*@/, '')}`),
    ...copied(program, operands),
    ...instead(program, operands),
    ...redirections.flatMap(({ to }) => {
      const host = /^\/dev\/(?:tcp|udp)\/([^/]+)\//.exec(to)?.[1];
      return host === undefined ? [] : [`//${host}`];
    }),
  ];
  const named = texts.flatMap((text) => (text.includes('//') ? [known(text)] : []));
  return named.length === 0 ? [] : [...new Set(named.flatMap((text) => hostsInText(text)))];
}

/** A text up to what only run time knows, without an address that it leaves open. A `?` ends an address. */
function known(text: string): string {
  const end = text.indexOf(HOLE);
  const read = (end === -1 ? text : text.slice(0, end)).replaceAll(ONE, '?');
  return end === -1 ? read : read.replace(/\/\/[^\s/?#]*$/, '');
}

/**
 * `http:/host`, which programs of the web mend, and the hosts that curl goes to instead of the one that its
 * URL names.
 */
function instead(program: string, { words }: Operands): readonly string[] {
  if (program !== 'curl' && program !== 'wget') return [];
  return words.flatMap((word, at) => {
    const mended = /^(?:https?|ftp):\/?([^/].*)$/is.exec(word)?.[1];
    if (mended !== undefined) return [`//${mended}`];
    const [, option = '', own] =
      /^(--resolve|--connect-to|-x|--(?:pre)?proxy|--socks[45]a?(?:-hostname)?)(?:=(.*))?$/s.exec(word) ?? [];
    if (option === '') return [];
    // `host:port:address`, `host:port:other:port`; an address of six stands in brackets.
    const parts = (own ?? words[at + 1] ?? '').match(/\[[^\]]*\]|[^:,]+/g) ?? [];
    return parts.map((part) => `//${part}`);
  });
}

/** `user@host:path`, of `scp`, `rsync` and `git`. */
function copied(program: string, operands: Operands): readonly string[] {
  if (!COPIERS.has(program)) return [];
  return operands.plain().flatMap((word) => {
    const host = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)/.exec(word)?.[1];
    return host === undefined ? [] : [`//${host}`];
  });
}
