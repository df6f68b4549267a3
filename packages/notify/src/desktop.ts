import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { shown } from './message.js';

/** The words of one message on a desktop. */
export interface Message {
  readonly title: string;
  readonly body: string;
}

/** A program and its arguments that show a message, and what it reads on its standard input. */
export interface Shows {
  readonly argv: readonly string[];
  readonly input: string;
}

/** How this machine shows a message. */
export type Desktop = (message: Message) => Shows;

/** Where the programs that show a message are looked for. */
export interface DesktopPlaces {
  readonly platform: string;
  /** Never those of `PATH`: the environment does not choose what the gateway starts. */
  readonly folders: readonly string[];
  /** The bus of the user's session; without one nothing can be shown. */
  readonly bus: string;
}

/** The places of this machine. */
export const DESKTOP_PLACES: DesktopPlaces = {
  platform: process.platform,
  folders:
    process.platform === 'win32'
      ? ['C:\\Windows\\System32\\WindowsPowerShell\\v1.0']
      : ['/usr/bin', '/usr/local/bin', '/run/current-system/sw/bin'],
  bus: `/run/user/${process.getuid?.() ?? ''}/bus`,
};

/** The script is ours; the words are arguments of it, and no part. */
const OSASCRIPT = [
  'on run argv',
  'display notification (item 2 of argv) with title (item 1 of argv)',
  'end run',
].flatMap((line) => ['-e', line]);
/** It reads the words, so that none of them is part of a command. */
const POWERSHELL = [
  '$m = [Console]::In.ReadLine() | ConvertFrom-Json',
  'Add-Type -AssemblyName System.Windows.Forms, System.Drawing',
  '$n = New-Object System.Windows.Forms.NotifyIcon',
  '$n.Icon = [System.Drawing.SystemIcons]::Information',
  '$n.Visible = $true',
  "$n.ShowBalloonTip(5000, $m.title, $m.body, 'Info')",
  'Start-Sleep -Seconds 6',
  '$n.Dispose()',
].join('; ');

/** The way of this machine; undefined where it has no desktop, or none that is known. */
export function findDesktop({ bus, folders, platform }: DesktopPlaces): Desktop | undefined {
  const find = (name: string): string | undefined =>
    folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (platform === 'darwin') {
    const program = find('osascript');
    if (program === undefined) return undefined;
    return ({ title, body }) => ({ argv: [program, ...OSASCRIPT, shown(title), shown(body)], input: '' });
  }
  if (platform === 'win32') {
    const program = find('powershell.exe');
    if (program === undefined) return undefined;
    const argv = [program, '-NoProfile', '-NonInteractive', '-Command', POWERSHELL];
    return ({ title, body }) => ({
      argv,
      input: `${JSON.stringify({ title: shown(title), body: shown(body) })}\n`,
    });
  }
  const program = existsSync(bus) ? find('notify-send') : undefined;
  if (program === undefined) return undefined;
  const options = ['--app-name=sub', '--'];
  return ({ title, body }) => ({ argv: [program, ...options, shown(title), marked(body)], input: '' });
}

/** `notify-send` reads backslashes as C does, and desktops read the rest as markup. */
function marked(text: string): string {
  return shown(text)
    .replaceAll('\\', '\\\\')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
