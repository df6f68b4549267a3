/** Exact versions of packages, and the file that is started, below the folder that they are installed in. */
export interface Pin {
  readonly title: string;
  readonly packages: readonly string[];
  readonly program: string;
}

export type Fetched =
  | { readonly folder: string; readonly program: string; readonly version: string }
  | { readonly missing: string };

export const PINS: {
  readonly claude: Pin;
  readonly codex: Pin;
  readonly conformance: Pin;
  readonly node24: Pin;
};

/** The folder and the program of a pin, installed where it is not yet; or why it cannot be had. */
export function fetchPin(pin: Pin, env?: NodeJS.ProcessEnv): Fetched;

/** The newest release of what a pin names; undefined where that is the pinned one, or nobody tells. */
export function newestOf(pin: Pin, env?: NodeJS.ProcessEnv): Pin | undefined;
