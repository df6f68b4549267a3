import { userInfo } from 'node:os';
import { expect, test } from 'vitest';
import { runLabels } from './environment.js';

const user = userInfo().username;

test('a client on a desktop is known by its user and folder', () => {
  expect(runLabels({}, 'claude', '/srv/app')).toEqual({
    agentId: 'default',
    client: 'claude',
    env: 'unknown',
    principal: user,
    workload: { user, repo_path: '/srv/app' },
    claimedRunId: undefined,
  });
});

test('a client in a CI job is known by the job as well, and its env is ci unless it says otherwise', () => {
  const job = {
    GITHUB_ACTIONS: 'true',
    GITHUB_RUN_ID: '77',
    GITHUB_REPOSITORY: 'acme/app',
    GITHUB_REF_NAME: 'main',
  };
  expect(runLabels(job, 'node', '/srv/app')).toMatchObject({
    env: 'ci',
    workload: {
      user,
      repo_path: '/srv/app',
      ci_provider: 'github',
      job_id: '77',
      repo: 'acme/app',
      branch: 'main',
    },
  });
  expect(runLabels({ ...job, SUB_ENV: 'prod' }, 'node', '/srv/app').env).toBe('prod');
});

test('a client in a pod is known by the pod as well', () => {
  const pod = {
    KUBERNETES_SERVICE_HOST: '10.0.0.1',
    POD_NAME: 'fixer-0',
    POD_NAMESPACE: 'agents',
    POD_SERVICE_ACCOUNT: 'fixer',
  };
  expect(runLabels(pod, 'node', '/srv/app')).toMatchObject({
    env: 'unknown',
    workload: { namespace: 'agents', service_account: 'fixer', pod: 'fixer-0' },
  });
});
