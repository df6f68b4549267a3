import type { BytePath } from '../files/byte-path.js';

/**
 * Reasons to ask before a change is taken over: other programs run the file, or take orders from it.
 * - `repository`: a folder that git takes for a repository with the changes, and not without;
 * - `git_hooks`, `git_settings`: git, or a tool that git starts, runs or obeys it;
 * - `ci`: machines elsewhere run it, with keys of their own;
 * - `package`: an installer or a script runner obeys it;
 * - `agent_settings`: it starts servers and hooks of an agent;
 * - `agent_orders`: agents read it as orders;
 * - `editor`: an editor runs or obeys it when the folder is opened;
 * - `shell`: a shell or an interpreter obeys it on its way into the folder, or when it starts;
 * - `build`: a tool that builds, tests or starts something runs or obeys it;
 * - `policy`: this gateway obeys it;
 * - `executable`: a file that could not be run, and can be now.
 */
export const RISKS = [
  'repository',
  'git_hooks',
  'git_settings',
  'ci',
  'package',
  'agent_settings',
  'agent_orders',
  'editor',
  'shell',
  'build',
  'policy',
  'executable',
] as const;

/** One of them. */
export type Risk = (typeof RISKS)[number];

/** The sentence for people about each. */
export const RISK_WORDS: Readonly<Record<Risk, string>> = {
  repository: 'a new git repository, whose own hooks and settings git obeys',
  git_hooks: 'git runs it',
  git_settings: 'git obeys it, and it can name programs that git runs',
  ci: 'CI runs it, with its own keys',
  package: 'package managers obey it, and run its scripts',
  agent_settings: 'agents obey it, and it can name programs that they run',
  agent_orders: 'agents take orders from it',
  editor: 'editors obey it, and it can name programs that they run',
  shell: 'shells or interpreters run it',
  build: 'tools that build or test run it',
  policy: 'the gateway obeys it',
  executable: 'it can be run as a program now',
};

/** A path of one project that has a risk of its own, as a folder of hooks that its settings name. */
export interface RiskPlace {
  readonly path: BytePath;
  readonly risk: Risk;
}
