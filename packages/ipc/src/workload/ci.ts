import { labelOf, repositoryOf } from './label.js';

/** The workload of a CI job. */
export interface CiContext {
  readonly ci_provider: string;
  readonly job_id?: string;
  readonly repo?: string;
  readonly branch?: string;
}

/** Gives a variable of the environment; an empty one is absent. */
export type ReadVariable = (name: string) => string | undefined;

/**
 * A CI system: the variable that it sets in every job, and those that say which job, repository and branch.
 */
interface CiSystem {
  readonly provider: string;
  readonly mark: string;
  readonly job: readonly string[];
  readonly repo: (read: ReadVariable) => string | undefined;
  readonly branch: readonly string[];
}

const named =
  (name: string) =>
  (read: ReadVariable): string | undefined =>
    labelOf(read(name));
const located =
  (name: string) =>
  (read: ReadVariable): string | undefined =>
    repositoryOf(read(name));

/** Where several leave their marks, the first one is it. */
const SYSTEMS: readonly CiSystem[] = [
  {
    provider: 'github',
    mark: 'GITHUB_ACTIONS',
    job: ['GITHUB_RUN_ID'],
    repo: named('GITHUB_REPOSITORY'),
    branch: ['GITHUB_REF_NAME'],
  },
  {
    provider: 'gitlab',
    mark: 'GITLAB_CI',
    job: ['CI_JOB_ID'],
    repo: named('CI_PROJECT_PATH'),
    branch: ['CI_COMMIT_REF_NAME'],
  },
  {
    provider: 'circleci',
    mark: 'CIRCLECI',
    job: ['CIRCLE_WORKFLOW_JOB_ID', 'CIRCLE_BUILD_NUM'],
    repo: (read) => {
      const owner = read('CIRCLE_PROJECT_USERNAME');
      const name = read('CIRCLE_PROJECT_REPONAME');
      return labelOf(owner === undefined || name === undefined ? name : `${owner}/${name}`);
    },
    branch: ['CIRCLE_BRANCH'],
  },
  {
    provider: 'buildkite',
    mark: 'BUILDKITE',
    job: ['BUILDKITE_JOB_ID'],
    repo: located('BUILDKITE_REPO'),
    branch: ['BUILDKITE_BRANCH'],
  },
  {
    provider: 'azure',
    mark: 'TF_BUILD',
    job: ['SYSTEM_JOBID', 'BUILD_BUILDID'],
    repo: named('BUILD_REPOSITORY_NAME'),
    branch: ['BUILD_SOURCEBRANCH'],
  },
  {
    provider: 'bitbucket',
    mark: 'BITBUCKET_BUILD_NUMBER',
    job: ['BITBUCKET_STEP_UUID', 'BITBUCKET_BUILD_NUMBER'],
    repo: named('BITBUCKET_REPO_FULL_NAME'),
    branch: ['BITBUCKET_BRANCH'],
  },
  {
    provider: 'travis',
    mark: 'TRAVIS',
    job: ['TRAVIS_JOB_ID'],
    repo: named('TRAVIS_REPO_SLUG'),
    branch: ['TRAVIS_BRANCH'],
  },
  {
    provider: 'drone',
    mark: 'DRONE',
    job: ['DRONE_BUILD_NUMBER'],
    repo: named('DRONE_REPO'),
    branch: ['DRONE_BRANCH'],
  },
  {
    provider: 'teamcity',
    mark: 'TEAMCITY_VERSION',
    job: ['BUILD_NUMBER'],
    repo: () => undefined,
    branch: [],
  },
  {
    provider: 'jenkins',
    mark: 'JENKINS_URL',
    job: ['BUILD_TAG', 'BUILD_ID'],
    repo: located('GIT_URL'),
    branch: ['BRANCH_NAME', 'GIT_BRANCH'],
  },
];

/**
 * The CI job that the environment speaks of; `unknown` of a system that says no more than `CI`, undefined
 * outside of all.
 */
export function ciContext(read: ReadVariable): CiContext | undefined {
  const system = SYSTEMS.find(({ mark }) => isSet(read(mark)));
  if (system === undefined) return isSet(read('CI')) ? { ci_provider: 'unknown' } : undefined;
  const first = (names: readonly string[]): string | undefined =>
    labelOf(names.map((name) => read(name)).find((value) => value !== undefined));
  const job = first(system.job);
  const repo = system.repo(read);
  const branch = first(system.branch)?.replace(/^refs\/heads\//, '');
  return {
    ci_provider: system.provider,
    ...(job === undefined ? {} : { job_id: job }),
    ...(repo === undefined ? {} : { repo }),
    ...(branch === undefined || branch === '' ? {} : { branch }),
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !/^(?:false|0)$/i.test(value);
}
