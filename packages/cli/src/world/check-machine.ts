import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { type Check, found, ok } from '../doctor/check.js';

/** A program that makes a part of a world, and the package that brings it. */
const PROGRAMS = [
  { name: 'perl', paths: ['/usr/bin/perl'], from: 'perl-base' },
  { name: 'bubblewrap', paths: ['/usr/bin/bwrap'], from: 'bubblewrap' },
  { name: 'ip', paths: ['/usr/sbin/ip', '/sbin/ip', '/usr/bin/ip', '/bin/ip'], from: 'iproute2' },
  { name: 'nft', paths: ['/usr/sbin/nft', '/sbin/nft', '/usr/bin/nft'], from: 'nftables' },
] as const;

/** Whether this machine, a Linux, has what worlds are made of: the processor, programs, namespaces. */
export function checkMachine(): readonly Check[] {
  const isKnown = process.arch === 'x64' || process.arch === 'arm64';
  const processor = isKnown
    ? ok('processor', process.arch)
    : found('processor', 'fail', `no filter of system calls is written for \`${process.arch}\``, OTHERWISE);
  return [processor, ...PROGRAMS.map((program) => checkProgram(program)), checkNamespaces()];
}

const OTHERWISE = 'run the agent in a Linux machine or container of its own, and `sub` in there';

function checkProgram({ name, paths, from }: (typeof PROGRAMS)[number]): Check {
  const path = paths.find((one) => isProgram(one));
  if (path !== undefined) return ok(name, path);
  return found(
    name,
    'fail',
    `\`${name}\` is not there (${paths[0]})`,
    `install it: \`apt-get install ${from}\``,
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The switches by which a system keeps namespaces from plain users. The attempt itself is the last check. */
const SWITCHES = [
  { path: '/proc/sys/user/max_user_namespaces', off: '0' },
  { path: '/proc/sys/kernel/unprivileged_userns_clone', off: '0' },
  { path: '/proc/sys/kernel/apparmor_restrict_unprivileged_userns', off: '1' },
] as const;

function checkNamespaces(): Check {
  const off = SWITCHES.find(
    ({ path, off: value }) => existsSync(path) && readFileSync(path, 'utf8').trim() === value,
  );
  if (off === undefined) return ok('namespaces', 'nothing forbids them');
  const level = process.getuid?.() === 0 ? 'warn' : 'fail';
  const setting = off.path.slice('/proc/sys/'.length).replaceAll('/', '.');
  return found(
    'namespaces',
    level,
    `\`${setting}\` is ${off.off}: plain users may make none`,
    `\`sysctl ${setting}=${off.off === '0' ? '15000' : '0'}\`, as root`,
  );
}
