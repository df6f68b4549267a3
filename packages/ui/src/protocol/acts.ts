import type { JsonValue } from '@subluminal/core-types/portable';

/** A change that the page asks for. `shown` is that of the card (or of `RecordDetail.hint_shown`). */
export type Act =
  | { readonly act: 'approve'; readonly id: string; readonly for: 'once' | 'run'; readonly shown: string }
  | { readonly act: 'deny'; readonly id: string; readonly say: string; readonly shown: string }
  | {
      readonly act: 'promote';
      readonly run: string;
      readonly call: string;
      readonly any_args: boolean;
      readonly shown: string;
    }
  /** The held definition of a tool is taken, exactly the one that is shown. */
  | { readonly act: 'take'; readonly server: string; readonly tool: string; readonly shown: string }
  /**
   * Changes of a layer are taken over into its project, or thrown away: those at these paths, or all (null).
   * Unless `risky`, those that a person is asked about stay. `overwrite`: of those that are named, also the
   * ones that the project has changed since; `shown` is then `World.overwrite`.
   */
  | {
      readonly act: 'layer-commit';
      readonly layer: string;
      readonly paths: readonly string[] | null;
      readonly risky: boolean;
      readonly overwrite?: boolean | undefined;
      readonly shown: string;
    }
  | {
      readonly act: 'layer-discard';
      readonly layer: string;
      readonly paths: readonly string[] | null;
      readonly shown: string;
    }
  /** A rule for calls like that of an entry is written into the policy file, exactly as it is shown. */
  | { readonly act: 'rule'; readonly entry: number; readonly as: string; readonly shown: string }
  /** The policy file is loaded, if it says the policy of this hash still, and that of `over` is in force. */
  | { readonly act: 'reload'; readonly shown: string; readonly over: string }
  | { readonly act: 'panic'; readonly reason: string }
  | { readonly act: 'resume' };

/**
 * Whether it allows more than before, or cannot be taken back, and so needs an unlocked session: others run
 * what is taken over into a project, and what is thrown away is nowhere else.
 */
export function widens(act: Act['act']): boolean {
  return act !== 'deny' && act !== 'panic';
}

/** It is done, and recorded there. */
export interface Acted<Data = JsonValue> {
  readonly audit_ref: string;
  readonly data: Data;
}
