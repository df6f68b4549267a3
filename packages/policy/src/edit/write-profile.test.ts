import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../compile.js';
import { FIRST_POLICY, type ProfileDraft, writeProfile } from './write-profile.js';

const draft: ProfileDraft = { server: 'files', hosts: ['b.example', 'a.example'] };

const text = (source: string, about = draft): string => {
  const result = writeProfile(source, about);
  if (!result.ok) throw new Error(result.message);
  return result.text;
};

describe('the profile of a server', () => {
  it('comes behind a policy that has no section for worlds, which stays as it is', () => {
    expect(text(FIRST_POLICY)).toBe(`${FIRST_POLICY}
world:
  profiles:
    - name: files
      server: [ files ]
      net:
        allowed: [ a.example, b.example ]
`);
  });

  it('comes above the other profiles, with comments and all else as it was', () => {
    const before = `# mine
policy_id: t   # the name
version: '1'
mode: observe
world: # for all
  # as much as a laptop has
  limits: { memory: 2Gi }
  profiles:
    - name: all # the rest
      server: ["*"]
      reuse: false

defaults: {decision_on_error: BLOCK}
selectors: {}
rules:
    - { rule_id: a, kind: deny, enabled: true, severity: info, match: {tool_name: {glob: [x]}}, effect: {action: BLOCK, reason_code: A, message: ""} }
`;
    const after = text(before);
    expect(after.slice(0, after.indexOf('world:'))).toBe(before.slice(0, before.indexOf('world:')));
    expect(after.slice(after.indexOf('defaults:'))).toBe(before.slice(before.indexOf('defaults:')));
    expect(after).toContain('# as much as a laptop has');
    expect(after).toContain('- name: all # the rest');
    expect(after.indexOf('name: files')).toBeLessThan(after.indexOf('name: all'));
  });

  it('is the one that the server has already, and gets the hosts that it lacks', () => {
    const once = text(FIRST_POLICY, { server: 'files', hosts: ['a.example'] });
    const result = writeProfile(once, { server: 'files', hosts: ['c.example'] });
    expect(result).toMatchObject({ ok: true, profile: 'files', added: ['c.example'], isSame: false });
    const compiled = compilePolicy(result.ok ? result.text : '');
    expect(compiled.ok && compiled.snapshot.plain.world?.profiles).toEqual([
      { name: 'files', server: ['files'], net: { allowed: ['a.example', 'c.example'] } },
    ]);
    expect(writeProfile(once, { server: 'files', hosts: ['a.example'] })).toMatchObject({
      ok: true,
      text: once,
      isSame: true,
    });
  });

  it('of a server that reached nothing leaves it nothing', () => {
    expect(text(FIRST_POLICY, { server: 'quiet', hosts: [] })).toContain('allowed: []');
  });

  it('takes a server with the signs of a pattern for itself alone, under a name of letters', () => {
    const compiled = compilePolicy(text(FIRST_POLICY, { server: '@a/b*', hosts: [] }));
    expect(compiled.ok && compiled.snapshot.plain.world?.profiles).toEqual([
      { name: 'a-b-', server: ['@a/b\\*'], net: { allowed: [] } },
    ]);
  });

  it('is not put into a policy in JSON: it is said what to write', () => {
    const json = JSON.stringify({
      policy_id: 't',
      version: '1',
      mode: 'observe',
      defaults: { decision_on_error: 'BLOCK' },
      selectors: {},
      rules: [],
    });
    const result = writeProfile(json, draft);
    expect(result).toMatchObject({ ok: false });
    expect(result.ok ? '' : result.help).toContain('allowed: [a.example, b.example]');
  });
});
