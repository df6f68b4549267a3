import { describe, expect, it } from 'vitest';
import { kindOf } from './kind.js';
import { placeOf } from './place.js';

const ofCommand = (target: string): string => kindOf({ tool: 'Bash', target });

describe('the kind of work', () => {
  it.each([
    ['ls -la src', 'explore'],
    ['cd api && git log --oneline | head -5', 'explore'],
    ['sed -n 1,40p a.ts', 'explore'],
    ['curl -s https://one.example/health', 'explore'],
    ['gh pr view 12 --json title', 'explore'],
    ['gh run list', 'explore'],
    ['kubectl logs deploy/api', 'explore'],
    ['sed -i s/a/b/ a.ts', 'change'],
    ['sudo mkdir -p x', 'change'],
    ['npm install left-pad', 'change'],
    ['git rebase main', 'change'],
    ['NODE_ENV=test npx vitest run', 'check'],
    ['timeout 60 pytest -q', 'check'],
    ['pnpm test', 'check'],
    ['npm run lint', 'check'],
    ['go build -o x ./...', 'check'],
    ['terraform plan', 'check'],
    ['git add . && git commit -m x', 'deliver'],
    ['gh pr create --fill', 'deliver'],
    ['npm publish', 'deliver'],
    ['terraform apply -auto-approve', 'deliver'],
    ['curl -X POST https://one.example', 'other'],
    ['sleep 40', 'other'],
    ['toString', 'other'],
    ['constructor x', 'other'],
    ['', 'other'],
  ])('of the command `%s` is %s', (command, kind) => {
    expect(ofCommand(command)).toBe(kind);
  });

  it('of a command reads its first 512 characters, however long it is', () => {
    expect(ofCommand(`${' '.repeat(600)}npm test`)).toBe('other');
    expect(ofCommand(`npm test ${'x'.repeat(1_000_000)}`)).toBe('check');
  });

  it.each([
    ['Read', 'explore'],
    ['WebFetch', 'explore'],
    ['Edit', 'change'],
    ['apply_patch', 'change'],
    ['mcp__files__read_file', 'explore'],
    ['mcp__github__create_issue', 'change'],
    ['TodoWrite', 'other'],
    ['ExitPlanMode', 'other'],
    ['Task', 'other'],
  ])('of the tool %s is %s', (tool, kind) => {
    expect(kindOf({ tool, target: 'a/b' })).toBe(kind);
  });
});

describe('the place of an action', () => {
  const place = (target: string | undefined, tool = 'Read'): string | undefined =>
    placeOf({
      kind: 'action',
      id: 'c',
      atMs: 1,
      tool,
      target,
      status: 'ok',
      isProtected: false,
      repository: '/w/here',
      form: undefined,
    })?.module;

  it('is the first folder, and the second where the first one holds modules', () => {
    expect(place('/w/here/api/x.ts')).toBe('api');
    expect(place('api/deep/er/x.ts')).toBe('api');
    expect(place('packages/core/src/x.ts')).toBe('packages/core');
    expect(place('./src/a/x.ts')).toBe('src/a');
    expect(place('src/x.ts')).toBe('src');
    expect(place('README.md')).toBe('');
  });

  it('is none for commands, addresses, patterns and files beside the repository', () => {
    expect(place('cat a/x.ts', 'Bash')).toBeUndefined();
    expect(place('https://one.example/a/b')).toBeUndefined();
    expect(place('needle')).toBeUndefined();
    expect(place('/home/u/.claude/notes.md')).toBeUndefined();
    expect(place(undefined)).toBeUndefined();
  });
});
