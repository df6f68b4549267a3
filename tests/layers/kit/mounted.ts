import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processIdentity } from '@subluminal/ipc';
import { type LayerAbout, layerPlace, takeLayer } from '@subluminal/layers';

/** Why no layer can be mounted here; undefined where it can. */
export function whyNoLayers(): string | undefined {
  if (process.platform !== 'linux') return 'layers are of Linux';
  if (process.getuid?.() !== 0) return 'it mounts, so it needs root';
  return undefined;
}

/** A project with a layer over it, mounted where only its own shell sees it, as a world has it. */
export class Mounted {
  readonly root: string;
  readonly project: string;
  readonly about: LayerAbout;
  readonly #merged: string;
  #shell: ChildProcess | undefined;
  #said = '';

  /** `files` is a script that makes the project; `under` says on which file system. */
  constructor(files: string, under = '/var/tmp') {
    this.root = mkdtempSync(join(under, 'sub-layer-'));
    this.project = join(this.root, 'project');
    this.#merged = join(this.root, 'merged');
    chmodSync(this.root, 0o755);
    for (const path of [this.project, this.#merged]) mkdirSync(path);
    // A layer counts in milliseconds: what changed in the one in which it begins counts as not seen.
    execFileSync('/bin/sh', ['-ec', `${files}\nsleep 0.01`], { cwd: this.project });
    const taker = processIdentity(process.pid);
    if (taker === undefined) throw new Error('this process is not known');
    this.about = takeLayer(layerPlace(join(this.root, 'layers'), 'one'), {
      project: this.project,
      runId: 'run',
      label: 'test',
      taker,
      as: 'world',
      now: Date.now(),
    });
  }

  /** Runs a script in the merged tree, whatever becomes of its commands. */
  async run(script: string): Promise<void> {
    this.#shell ??= this.#start();
    const shell = this.#shell;
    this.#said = '';
    const done = new Promise<void>((resolve, reject) => {
      const ended = (): void => reject(new Error('the shell of the mount has ended'));
      shell.once('close', ended);
      const heard = (text: Buffer): void => {
        this.#said += text.toString('latin1');
        if (!this.#said.includes('DONE\n')) return;
        shell.stdout?.off('data', heard);
        shell.off('close', ended);
        resolve();
      };
      shell.stdout?.on('data', heard);
    });
    shell.stdin?.write(`( cd ${this.#merged} && ${script} ) >/dev/null 2>&1 </dev/null; echo DONE\n`);
    await done;
  }

  /** Where the shell sees the merged tree. */
  get seen(): string {
    return `/proc/${this.#shell?.pid}/root${this.#merged}`;
  }

  /** Ends the shell, and with it the mount; the next script has both anew. */
  async unmount(): Promise<void> {
    const shell = this.#shell;
    if (shell === undefined) return;
    const over = new Promise((resolve) => shell.once('close', resolve));
    shell.kill('SIGKILL');
    await over;
    this.#shell = undefined;
  }

  remove(): void {
    this.#shell?.kill('SIGKILL');
    rmSync(this.root, { recursive: true, force: true });
  }

  #start(): ChildProcess {
    const { place, project } = this.about;
    const options = [
      `lowerdir=${project},upperdir=${place.upper},workdir=${join(place.folder, 'work')}`,
      'redirect_dir=off,metacopy=off,index=off',
    ].join(',');
    const script = join(this.root, 'mount');
    writeFileSync(script, `mount -t overlay overlay -o ${options} ${this.#merged} || exit 9\nexec /bin/sh\n`);
    const shell = spawn('unshare', ['-m', '/bin/sh', script], { stdio: ['pipe', 'pipe', 'inherit'] });
    return shell;
  }
}
