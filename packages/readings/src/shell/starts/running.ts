import { push, type Frame, type Given, type Shell } from '../frame.js';

/** `NAME=` at the start of a word. */
export const ASSIGNMENT = /^([A-Za-z_]\w*)\+?=/;

/** A command that is being read. */
export interface Running {
  readonly shell: Shell;
  readonly frame: Frame;
  readonly program: string;
  readonly words: readonly string[];
  readonly operands: readonly string[];
  readonly given: Given;
}

/** Reads a command that does more than run: what it changes, and what it starts. */
export type Run = (running: Running) => void;

/** Notes a command as it is. */
export const note: Run = ({ shell, frame, words, given, program }) =>
  void push(shell, frame, words, given, program);
