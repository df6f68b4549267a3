import * as z from 'zod';

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/**
 * Variables that decide which code runs, where it looks for it, or what it trusts: never the name of a
 * secret.
 */
const STEERING: ReadonlySet<string> = new Set([
  'ALL_PROXY',
  'BASH_ENV',
  'BUN_INSTALL',
  'CDPATH',
  'CLASSPATH',
  'COMSPEC',
  'ENV',
  'GCONV_PATH',
  'GIT_EXEC_PATH',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'HOME',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'IFS',
  'JAVA_TOOL_OPTIONS',
  'LOCPATH',
  'NLSPATH',
  'NO_PROXY',
  'PATH',
  'PATHEXT',
  'PERL5DB',
  'PERL5LIB',
  'PERL5OPT',
  'PERLLIB',
  'PROMPT_COMMAND',
  'PS4',
  'REQUESTS_CA_BUNDLE',
  'RUBYLIB',
  'RUBYOPT',
  'SHELL',
  'SHELLOPTS',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  'SYSTEMROOT',
  'WINDIR',
  'ZDOTDIR',
  '_JAVA_OPTIONS',
]);
const STEERING_BEGINNINGS: readonly string[] = ['DYLD_', 'LD_', 'NODE_', 'PYTHON', 'SUB_'];
/** They begin like one, and hold a credential. */
const NOT_STEERING: ReadonlySet<string> = new Set(['NODE_AUTH_TOKEN']);

/** The name of an environment variable. */
export const VariableName = z
  .string()
  .regex(NAME, 'a name of a variable has letters, digits and `_`, and begins with no digit');

/** The name of a variable that a secret may be injected as. */
export const SecretVariable = VariableName.refine(
  (name) => !isSteering(name),
  'this variable decides which code runs or what it trusts, and cannot be a secret',
);

/**
 * Tells whether a variable decides which code a program loads, where it finds it, or whom it trusts. Case is
 * no difference.
 */
export function isSteering(name: string): boolean {
  const known = name.toUpperCase();
  if (NOT_STEERING.has(known)) return false;
  return STEERING.has(known) || STEERING_BEGINNINGS.some((beginning) => known.startsWith(beginning));
}
