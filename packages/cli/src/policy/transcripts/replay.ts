import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { SublError } from '@subluminal/core-types';
import type { PolicySnapshot } from '@subluminal/policy';
import { thisMachine } from '../../clients/place/machine.js';
import { escapeText } from '../../output/escape.js';
import { progress } from '../../output/progress.js';
import { dayAndTime } from '../../output/time.js';
import type { Call } from '../../program/call.js';
import { BOUNDS, type LeftOut } from '../../transcripts/bounds.js';
import { madeCalls, transcriptFolder, type TranscriptClient } from '../../transcripts/transcripts.js';
import { TranscriptReplay } from './refused.js';
import { leftOutText, reportJson, reportLines } from './report.js';

const DAYS = 30;

/** The session files that are asked for. */
export interface TranscriptsAsked {
  readonly client: TranscriptClient;
  readonly dir: string | undefined;
  readonly sinceMs: number | undefined;
}

/** Decides the calls of a client's session files by a policy, and prints it. Gives how many are refused. */
export function replayTranscripts(call: Call, snapshot: PolicySnapshot, asked: TranscriptsAsked): number {
  const { output, session } = call;
  const { client } = asked;
  const folder = folderOf(call, asked);
  const sinceMs = asked.sinceMs ?? session.now() - DAYS * 86_400_000;
  const left: LeftOut = { files: 0, bad: 0, long: 0, bytes: 0 };
  const replay = new TranscriptReplay(snapshot, client);
  const bar = progress(output, 'replaying', session.now);
  let files = 0;
  for (const step of madeCalls(client, folder, sinceMs, BOUNDS, left)) {
    if (step.what === 'file') {
      files += 1;
      bar.update(step.at, step.of);
      replay.session(String(step.at));
    } else replay.call(step.call, step.ts);
  }
  bar.end();
  const when = asked.sinceMs === undefined ? `in ${DAYS} days` : `since ${dayAndTime(sinceMs)}`;
  const told = { snapshot, client, when, files, left };
  if (output.json) for (const value of reportJson(told, replay)) output.value(value);
  else output.lines(reportLines(told, replay, output));
  if (files === 0)
    output.note(`no session file of ${client} below \`${escapeText(folder)}\` was changed ${when}`);
  const missing = leftOutText(left);
  if (missing !== undefined) output.note(missing);
  return replay.refused;
}

function folderOf({ session }: Call, { client, dir }: TranscriptsAsked): string {
  const { cwd, environment } = session;
  const folder =
    dir === undefined ? transcriptFolder(client, thisMachine(environment.all, cwd)) : resolve(cwd, dir);
  if (existsSync(folder)) return folder;
  throw new SublError('not_found', `there is no folder \`${folder}\` with session files of ${client}`, {
    help: '`--dir` names another',
  });
}
