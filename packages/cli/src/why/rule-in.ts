import { SublError } from '@subluminal/core-types';
import { compilePolicy, placeOfRule } from '@subluminal/policy';
import { readProjectFile } from '../policy/project/project-file.js';
import { readPolicy, type PolicyFile } from '../policy/source.js';

/** A rule as its file has it now. */
export interface RuleInFile {
  /** Its lines, with the number of the first. */
  readonly rule: { readonly file: string; readonly line: number; readonly text: string };
  /** Of the file's policy. */
  readonly hash: string;
}

/** The policy that decided, and its file. */
interface Whose {
  readonly of: 'home' | 'project' | 'run';
  readonly file: string;
}

/** The rule as the file has it; undefined for a file that is not there, or cannot be read. */
export function ruleIn(whose: Whose, ruleId: string): RuleInFile | undefined {
  try {
    const { text, result } = policyIn(whose);
    if (!result.ok) return undefined;
    const index = result.snapshot.places.get(ruleId);
    const place = index === undefined ? undefined : placeOfRule(text, index);
    if (place === undefined) return undefined;
    const line = text.slice(0, place.at).split('\n').length;
    const rule = { file: whose.file, line, text: `- ${place.item}` };
    return { rule, hash: result.snapshot.policy_hash };
  } catch (error) {
    if (error instanceof SublError) return undefined;
    throw error;
  }
}

/** The file of a project is other people's, who may have put a link or a pipe in its place since. */
function policyIn({ of, file }: Whose): Pick<PolicyFile, 'text' | 'result'> {
  if (of !== 'project') return readPolicy(file);
  const text = readProjectFile(file);
  return { text, result: compilePolicy(text, { format: 'yaml', filename: file }) };
}
