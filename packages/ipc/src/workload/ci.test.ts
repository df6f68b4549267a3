import { Workload } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { ciContext } from './ci.js';

const of = (env: Record<string, string>) => ciContext((name) => env[name] || undefined);

describe('a CI job is known by its environment:', () => {
  it.each<[string, Record<string, string>, object]>([
    [
      'GitHub Actions',
      {
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_RUN_ID: '77',
        GITHUB_REPOSITORY: 'acme/app',
        GITHUB_REF_NAME: 'main',
      },
      { ci_provider: 'github', job_id: '77', repo: 'acme/app', branch: 'main' },
    ],
    [
      'a pull request on GitHub, whose own branch may have any name',
      { GITHUB_ACTIONS: 'true', GITHUB_RUN_ID: '78', GITHUB_REF_NAME: '5/merge', GITHUB_HEAD_REF: 'main' },
      { ci_provider: 'github', job_id: '78', branch: '5/merge' },
    ],
    [
      'GitLab CI',
      {
        CI: 'true',
        GITLAB_CI: 'true',
        CI_JOB_ID: '9',
        CI_PROJECT_PATH: 'acme/sub/app',
        CI_COMMIT_REF_NAME: 'dev',
      },
      { ci_provider: 'gitlab', job_id: '9', repo: 'acme/sub/app', branch: 'dev' },
    ],
    [
      'Jenkins',
      {
        JENKINS_URL: 'https://ci.example/',
        BUILD_TAG: 'jenkins-app-12',
        BUILD_ID: '12',
        GIT_URL: 'https://bot:pw@git.example/app.git',
        BRANCH_NAME: 'main',
      },
      {
        ci_provider: 'jenkins',
        job_id: 'jenkins-app-12',
        repo: 'https://git.example/app.git',
        branch: 'main',
      },
    ],
    [
      'CircleCI',
      {
        CIRCLECI: 'true',
        CIRCLE_WORKFLOW_JOB_ID: 'f0-1',
        CIRCLE_BUILD_NUM: '3',
        CIRCLE_PROJECT_USERNAME: 'acme',
        CIRCLE_PROJECT_REPONAME: 'app',
        CIRCLE_BRANCH: 'b',
      },
      { ci_provider: 'circleci', job_id: 'f0-1', repo: 'acme/app', branch: 'b' },
    ],
    [
      'Buildkite',
      {
        BUILDKITE: 'true',
        BUILDKITE_JOB_ID: 'j-1',
        BUILDKITE_REPO: 'git@git.example:acme/app.git',
        BUILDKITE_BRANCH: 'b',
      },
      { ci_provider: 'buildkite', job_id: 'j-1', repo: 'git@git.example:acme/app.git', branch: 'b' },
    ],
    [
      'Azure Pipelines',
      {
        TF_BUILD: 'True',
        SYSTEM_JOBID: 'a-1',
        BUILD_BUILDID: '4',
        BUILD_REPOSITORY_NAME: 'app',
        BUILD_SOURCEBRANCH: 'refs/heads/feature/x',
      },
      { ci_provider: 'azure', job_id: 'a-1', repo: 'app', branch: 'feature/x' },
    ],
    [
      'Bitbucket Pipelines',
      {
        BITBUCKET_BUILD_NUMBER: '5',
        BITBUCKET_STEP_UUID: '{u}',
        BITBUCKET_REPO_FULL_NAME: 'acme/app',
        BITBUCKET_BRANCH: 'b',
      },
      { ci_provider: 'bitbucket', job_id: '{u}', repo: 'acme/app', branch: 'b' },
    ],
    [
      'Travis CI',
      { TRAVIS: 'true', TRAVIS_JOB_ID: '6', TRAVIS_REPO_SLUG: 'acme/app', TRAVIS_BRANCH: 'b' },
      { ci_provider: 'travis', job_id: '6', repo: 'acme/app', branch: 'b' },
    ],
    [
      'Drone',
      { DRONE: 'true', DRONE_BUILD_NUMBER: '8', DRONE_REPO: 'acme/app', DRONE_BRANCH: 'b' },
      { ci_provider: 'drone', job_id: '8', repo: 'acme/app', branch: 'b' },
    ],
    [
      'TeamCity',
      { TEAMCITY_VERSION: '2026.1', BUILD_NUMBER: '11' },
      { ci_provider: 'teamcity', job_id: '11' },
    ],
    ['another one, which says that it is one', { CI: '1' }, { ci_provider: 'unknown' }],
    [
      'one of several marks',
      { JENKINS_URL: 'x', GITHUB_ACTIONS: 'true', CI: '1' },
      { ci_provider: 'github' },
    ],
  ])('%s', (_, env, workload) => {
    expect(of(env)).toEqual(workload);
  });

  it.each([{}, { CI: 'false' }, { CI: '0', GITHUB_ACTIONS: 'false' }, { CI: '' }])('none: %j', (env) => {
    expect(of(env)).toBeUndefined();
  });
});

describe('what the environment says is', () => {
  it.each<[string, string, string | undefined]>([
    ['rid of control characters and line ends', 'a\u0000b\n::error::c\u001b[2J\u202e', 'ab::error::c[2J'],
    ['bounded, also where it is a megabyte', 'x'.repeat(1_048_576), 'x'.repeat(256)],
    ['cut between characters', `${'x'.repeat(255)}😀`, 'x'.repeat(255)],
    ['without a credential', 'ghp_0123456789abcdefghijklmnopqrstuvwxyz', '[REDACTED]'],
    ['left out where nothing is left', '\n\t \u0007', undefined],
  ])('%s', (_, value, branch) => {
    const found = of({ GITHUB_ACTIONS: 'true', GITHUB_REF_NAME: value });
    expect(found?.branch).toBe(branch);
    expect(Workload.safeParse(found).success).toBe(true);
  });

  it.each([
    ['https://user:secret@git.example/a', 'https://git.example/a'],
    ['https://token@git.example/a', 'https://git.example/a'],
    ['ssh://git@git.example/a', 'ssh://git.example/a'],
  ])('of a repository no more than where it is: %s', (url, repo) => {
    expect(of({ BUILDKITE: 'true', BUILDKITE_REPO: url })?.repo).toBe(repo);
  });
});
