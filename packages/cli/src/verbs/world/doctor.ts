import type { Command } from 'commander';
import { subVerb, type Does } from '../../program/verb.js';

export function defineDoctor(group: Command, does: Does): void {
  does(subVerb(group, 'doctor', 'say whether this machine can make worlds'), {}, async () => 0);
}
