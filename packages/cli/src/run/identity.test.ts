import { userInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../program/env.js';
import { identityVariables, runIdentity } from './identity.js';

const none = { agent: undefined, client: undefined, env: undefined };

describe('runIdentity', () => {
  it('sees a desktop run of a known client', () => {
    const identity = runIdentity(none, '/usr/bin/claude', readEnvironment({}), '/srv/repo');
    expect(identity).toMatchObject({
      agentId: 'claude',
      client: 'claude',
      env: 'dev',
      principal: userInfo().username,
      workload: { user: userInfo().username, repo_path: '/srv/repo' },
    });
  });

  it('sees a GitHub job, and what it works on', () => {
    const environment = readEnvironment({
      GITHUB_ACTIONS: 'true',
      GITHUB_RUN_ID: '77',
      GITHUB_REPOSITORY: 'acme/app',
      GITHUB_REF_NAME: 'main',
    });
    expect(runIdentity(none, 'node', environment, '/r')).toMatchObject({
      client: 'headless',
      env: 'ci',
      workload: { ci_provider: 'github', job_id: '77', repo: 'acme/app', branch: 'main' },
    });
  });

  it('hears what a runner has set, where it is a word of the contract, and flags before it', () => {
    const set = { SUB_AGENT_ID: 'nightly', SUB_CLIENT: 'codex', SUB_ENV: 'prod', SUB_PRINCIPAL: 'svc' };
    const heard = { agentId: 'nightly', client: 'codex', env: 'prod', principal: 'svc' };
    const ci = { CI: '1', GITHUB_ACTIONS: 'true' };
    expect(runIdentity(none, 'node', readEnvironment({ ...ci, ...set }), '/r')).toMatchObject(heard);
    const flags = { agent: 'fixer', client: 'claude', env: 'dev' } as const;
    expect(runIdentity(flags, 'node', readEnvironment(set), '/r')).toMatchObject({
      agentId: 'fixer',
      client: 'claude',
      env: 'dev',
    });
    const wrong = readEnvironment({ ...ci, SUB_AGENT_ID: '', SUB_CLIENT: 'cursor', SUB_ENV: 'staging' });
    expect(runIdentity(none, 'node', wrong, '/r')).toMatchObject({
      agentId: 'node',
      client: 'headless',
      env: 'ci',
    });
  });

  it('lets flags decide', () => {
    const flags = { agent: 'fixer', client: 'codex', env: 'prod' } as const;
    const environment = readEnvironment({ CI: '1', SUB_PRINCIPAL: 'svc' });
    expect(runIdentity(flags, 'node', environment, '/r')).toMatchObject({
      agentId: 'fixer',
      client: 'codex',
      env: 'prod',
      principal: 'svc',
    });
  });
});

it('the variables of a run are those of the contract', () => {
  const identity = { agentId: 'a', client: 'custom', env: 'dev', principal: 'p' } as const;
  expect(identityVariables('r1', identity)).toEqual({
    SUB_RUN_ID: 'r1',
    SUB_AGENT_ID: 'a',
    SUB_ENV: 'dev',
    SUB_CLIENT: 'custom',
    SUB_PRINCIPAL: 'p',
  });
});
