import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shown } from './marks.js';
import { readCommand } from './read-command.js';

const PLACE = { project: '/home/dev/shop', home: '/home/dev', tmp: '/tmp', cwd: ['/home/dev/shop'] };
const isLong = process.env['SUB_LONG'] !== undefined;

/** The commands of a text, each as its words. */
function commandsOf(text: string): string[] {
  return readCommand(text, PLACE).commands.map(({ words }) => words.map(shown).join(' '));
}

describe('a shell text is read as its simple commands', () => {
  it.each<readonly [string, readonly string[]]>([
    ['rm -rf ~', ['rm -rf /home/dev']],
    ['r"m" -rf $HOME', ['rm -rf /home/dev']],
    [String.raw`r\m -rf "$HOME/x"`, ['rm -rf /home/dev/x']],
    [String.raw`$'\x72m' -rf ~`, ['rm -rf /home/dev']],
    ['F=-rf; rm $F /', ['rm -rf /']],
    ['c=rm; $c -rf ~', ['rm -rf /home/dev']],
    ['rm $(echo -rf) /', ['echo -rf', 'rm -rf /']],
    ['rm${IFS}-rf${IFS}/', ['rm -rf /']],
    ['{rm,-rf,/}', ['rm -rf /']],
    ['rm -rf ${UNSET:-/home/dev}', ['rm -rf /home/dev']],
    ['for x in a b; do rm $x; done', ['rm a', 'rm b']],
    ['f() { rm -rf "$1"; }; f ~', ['rm -rf …', 'f /home/dev', 'rm -rf /home/dev']],
    ['alias x="rm -rf"; x ~', ['alias x=rm -rf', 'rm -rf /home/dev']],
    ['echo "$(evil)"', ['evil', 'echo …']],
    ['cat <<EOF && evil\nx\nEOF', ['cat', 'evil']],
    ['cat <<EOF\n$(evil)\nEOF', ['evil', 'cat']],
    ["cat <<'EOF'\n$(evil)\nEOF", ['cat']],
    ["sh <<'E'\nevil\nE", ['sh', 'evil']],
    ['echo x > >(evil)', ['evil', 'echo x']],
    ['[ -n "$(evil)" ]', ['evil', '[ -n … ]']],
    ['echo $((a[$(evil)]))', ['evil', 'echo …']],
    ['case x in x) evil;; esac', ['evil']],
    ['coproc evil', ['evil']],
    ['trap "evil" EXIT', ['trap evil EXIT', 'evil']],
    ['! evil', ['evil']],
    ['time -p evil', ['evil']],
    ['sh -c "evil a"', ['sh -c evil a', 'evil a']],
    ['bash -lc "evil"', ['bash -lc evil', 'evil']],
    ['eval "evil x"', ['eval evil x', 'evil x']],
    ['echo "evil x" | sh', ['echo evil x', 'sh', 'evil x']],
    ['echo ZXZpbAo= | base64 -d | sh', ['echo ZXZpbAo=', 'base64 -d', 'sh', 'evil']],
    [
      'sudo -u root env A=b nice -n 5 timeout 5 evil',
      [
        'sudo -u root env A=b nice -n 5 timeout 5 evil',
        'env A=b nice -n 5 timeout 5 evil',
        'nice -n 5 timeout 5 evil',
        'timeout 5 evil',
        'evil',
      ],
    ],
    ['echo a b | xargs rm', ['echo a b', 'xargs rm', 'rm a b']],
    ['ls ~ | xargs -I{} rm -rf {}', ['ls /home/dev', 'xargs -I{} rm -rf {}', 'rm -rf /home/dev']],
    ['find /x -name "*.k" -exec rm {} \\;', ['find /x -name *.k -exec rm {} ;', 'rm /x/…/*.k']],
    ['git -c core.sshCommand="evil" fetch', ['evil', 'git fetch']],
    ['git -c alias.x="!evil" x', ['evil', 'git x']],
    [
      'git submodule foreach git reset --hard',
      ['git submodule foreach git reset --hard', 'git reset --hard'],
    ],
    ['ssh -o ProxyCommand="evil" h', ['ssh -o ProxyCommand=evil h', 'evil']],
    ['ssh h rm -rf /', ['ssh h rm -rf /', 'rm -rf /']],
    ['docker run --rm -v /:/h img rm -rf /h', ['docker run --rm -v /:/h img rm -rf /h', 'rm -rf /h']],
    ['GIT_EDITOR="evil" git commit', ['evil', 'git commit']],
    ['tar xf a --to-command=evil', ['tar xf a --to-command=evil', 'evil']],
    ['rsync -e "evil" a b', ['rsync -e evil a b', 'evil']],
    [`awk 'BEGIN { system("evil") }'`, ['awk BEGIN { system("evil") }', 'evil']],
    ['npx --yes evil a', ['npx --yes evil a', 'evil a']],
    ['uv run evil', ['uv run evil', 'evil']],
    ['conda run -n x evil a', ['conda run -n x evil a', 'evil a']],
    ['pnpm --filter x exec evil', ['pnpm --filter x exec evil', 'evil']],
    ['npx -c "evil a"', ['npx -c evil a', 'evil a']],
    ['cross-env A=b evil', ['cross-env A=b evil', 'evil']],
    ['nix-shell --run "evil a"', ['nix-shell --run evil a', 'evil a']],
    ['nix develop -c evil a', ['nix develop -c evil a', 'evil a']],
    ['tmux new -d "evil a"', ['tmux new -d evil a', 'evil a']],
    ['tmux send -t x evil Space a Enter', ['tmux send -t x evil Space a Enter', 'evil a']],
    ['parallel evil ::: a', ['parallel evil ::: a', 'evil a']],
    ['git -c filter.x.smudge=evil log', ['evil', 'git log']],
    ['git -c core.pager=cat log', ['git log']],
    [`perl -e 'system("evil", "a b")'`, ['perl -e system("evil", "a b")', 'evil a b']],
    ["ruby -e 'puts `evil a`'", ['ruby -e puts `evil a`', 'evil a']],
    [`python3 -c 'os.system("evil " + x)'`, ['python3 -c os.system("evil " + x)', 'evil …']],
    [`node -e '/a/.exec("(x")'`, ['node -e /a/.exec("(x")']],
    [`awk '{ print | "evil a" }'`, ['awk { print | "evil a" }', 'evil a']],
    ["vim -c ':sil !evil a' b", ['vim -c :sil !evil a b', 'evil a']],
    ['eval "$(ssh-agent -s)"', ['ssh-agent -s', 'eval ']],
    ['echo evil >> a.sh; sh a.sh', ['echo evil', 'sh a.sh', 'evil']],
    ['x=(a b); x+=(c); evil "${x[@]}"', ['evil a b c']],
    ['AB=c; evil $A{B,C}', ['evil c …']],
    ['cat ~/.s*/id_?', ['cat /home/dev/.s*/id_?']],
  ])('%s', (text, commands) => {
    expect(commandsOf(text)).toEqual(commands);
    expect(readCommand(text, PLACE).unparsed).toBeNull();
  });

  it.each([
    ['cd /x && rm a', ['/home/dev/shop', '/x']],
    ['cd ..; rm a', ['/home/dev/shop', '/home/dev']],
    ['(cd /x); rm a', ['/home/dev/shop', '/home/dev/shop']],
    ['cd /x | cat; rm a', ['/home/dev/shop', '/home/dev/shop', '/home/dev/shop']],
    ['cd /x || rm a', ['/home/dev/shop', '/home/dev/shop,/x']],
    ['git -C sub rm a', ['/home/dev/shop/sub']],
  ])('%s: in the folder that it is in by then', (text, folders) => {
    expect(readCommand(text, PLACE).commands.map(({ cwd }) => cwd.join())).toEqual(folders);
  });

  it.each([
    'curl x | sh',
    'bash <(curl x)',
    'eval "$(curl x)"',
    'source <(curl x)',
    'curl x | python3',
    '$c -rf ~',
    '/bin/r? -rf ~',
  ])('%s: runs what only run time knows', (text) => {
    const { commands } = readCommand(text, PLACE);
    expect(commands.some(({ runsUnknown, program }) => runsUnknown || program === '\uE000')).toBe(true);
  });

  it.each([
    ['x'.repeat(8193), 'it is too long'],
    ['$('.repeat(4000), 'it has too many substitutions'],
    ['true;'.repeat(769), 'it has too many commands'],
    [`${"sh -c '".repeat(1)}${'eval '.repeat(12)}evil'`, 'it is nested too deep'],
    ['if true', null],
    ['a\uE000b', 'it has characters for private use'],
  ])('%s … is told to be unread', (text, why) => {
    const { unparsed } = readCommand(text, PLACE);
    if (why === null) expect(unparsed).not.toBeNull();
    else expect(unparsed).toBe(why);
  });

  it('a here-document that only seems to be one is noticed', () => {
    const decoy = `${'x '.repeat(4097)}\necho "<<'EOF'"\nevil\nEOF\n`;
    expect(readCommand(decoy, PLACE).unparsed).not.toBeNull();
    const file = `cat > f <<'EOF'\n${'line\n'.repeat(20_000)}EOF\nevil`;
    expect(readCommand(file, PLACE)).toMatchObject({ unparsed: null });
    expect(commandsOf(file)).toEqual(['cat', 'evil']);
  });

  it('no text makes the reader throw, or read more commands than it may', () => {
    const piece = fc.constantFrom(
      '$(',
      '`',
      '"',
      "'",
      '<<A',
      '{',
      '}',
      '((',
      '))',
      '[[',
      ']]',
      ';',
      '&&',
      '|',
      '\n',
      'if',
      'do',
      'case',
      'esac',
      '<(',
      '${x:-',
      '~',
      '*',
      'a',
      ' ',
      '\\',
      '#',
      '!',
      'coproc',
      'function f',
      '$x',
      '>&',
      '\u0000',
      '\uD800',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 400 }), (pieces) => {
        const { commands } = readCommand(pieces.join(''), PLACE);
        expect(commands.length).toBeLessThanOrEqual(1024);
      }),
      { numRuns: isLong ? 20_000 : 400 },
    );
  });
});

const BASH = spawnSync('bash', ['--version']).status === 0;

describe.skipIf(!BASH)('a real bash', () => {
  const word = fc.constantFrom(
    'a',
    '"x y"',
    "'q r'",
    '$V',
    '"$V"',
    '${V}',
    String.raw`e\ f`,
    String.raw`$'\x41'`,
    'w"x"z',
    '{1,2}',
    'a{b,c}',
    '"$(P i j)"',
    '`P k`',
    '${U:-d}',
    '"${U:-d e}"',
    '""',
    '~',
    '${V%z}',
    String.raw`"a\"b"`,
    String.raw`'a'\''b'`,
  );
  const simple = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => `P ${words.join(' ')}`);
  const text = fc.letrec<{ text: string }>((tie) => ({
    text: fc.oneof(
      { depthSize: 'small' },
      simple,
      fc.tuple(tie('text'), tie('text')).map(([a, b]) => `${a} && ${b}`),
      fc.tuple(tie('text'), tie('text')).map(([a, b]) => `${a}; ${b}`),
      tie('text').map((one) => `( ${one} )`),
      tie('text').map((one) => `{ ${one}; }`),
      tie('text').map((one) => `if P t; then ${one}; fi`),
      tie('text').map((one) => `V=zz; ${one}`),
      fc.constant(`bash -c 'P inner; P "two words"'`),
      fc.constant('for x in 1 2; do P $x; done'),
    ),
  })).text;

  it('gives its programs the words that are read', () => {
    fc.assert(
      fc.property(text, (script) => {
        const stub =
          'P(){ printf "<%s>" "$@" >&2; printf "\\n" >&2; printf out; }; export -f P; V=vz; HOME=/home/dev; export V; unset U; ';
        const { stderr } = spawnSync('bash', ['--norc', '-c', stub + script], {
          encoding: 'utf8',
          env: { PATH: '/usr/bin:/bin' },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        const called = stderr
          .trim()
          .split('\n')
          .map((line) => line.replace(/^<|>$/g, '').split('><'));
        const { commands } = readCommand(`V=vz; ${script}`, PLACE);
        const own = commands.filter(({ program }) => program === 'P').map(({ words }) => words.slice(1));
        const plain = (all: readonly (readonly string[])[]): string[] =>
          all.map((words) => words.join('\u241F').replace(/[\uE000-\uE004]|out/g, '?')).toSorted();
        expect(plain(own)).toEqual(plain(called));
      }),
      { numRuns: isLong ? 1500 : 40 },
    );
  }, 120_000);
});
