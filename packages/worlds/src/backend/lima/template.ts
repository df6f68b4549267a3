/** A virtual machine of Lima: the paths of this one that it shows, and the `sub` that it installs. */
export interface LimaMachine {
  /** Seen, and written. */
  readonly writable: readonly string[];
  /** Seen alone. */
  readonly readable: readonly string[];
  readonly version: string;
}

/** Debian 13: its kernel lets plain users make namespaces. Its Node is older than `sub` needs. */
const IMAGES = [
  { arch: 'aarch64', name: 'arm64' },
  { arch: 'x86_64', name: 'amd64' },
] as const;
const imageOf = (name: string): string =>
  `https://cloud.debian.org/images/cloud/trixie/latest/debian-13-genericcloud-${name}.qcow2`;

/**
 * The template of a machine for worlds, as `limactl start` reads it. Every text in it is quoted as JSON,
 * which is YAML, too: a path may hold anything. Nothing of the home is mounted, and no agent of keys is
 * forwarded.
 */
export function limaTemplate({ writable, readable, version }: LimaMachine): string {
  const mount = (path: string, isWritable: boolean): string =>
    `  - location: ${JSON.stringify(path)}\n    writable: ${isWritable}`;
  return `vmType: "vz"
mountType: "virtiofs"
images:
${IMAGES.map(({ arch, name }) => `  - location: ${JSON.stringify(imageOf(name))}\n    arch: "${arch}"`).join('\n')}
cpus: 2
memory: "4GiB"
disk: "20GiB"
mounts:
${[...writable.map((path) => mount(path, true)), ...readable.map((path) => mount(path, false))].join('\n')}
containerd:
  system: false
  user: false
ssh:
  loadDotSSHPubKeys: false
  forwardAgent: false
provision:
  - mode: system
    script: |
      #!/bin/sh
      set -eu
      export DEBIAN_FRONTEND=noninteractive
      apt-get update
      apt-get install -y bubblewrap nftables iproute2 perl nodejs npm
      npm install --global node@22
      npm install --global @subluminal/cli@${version}
probes:
  - mode: readiness
    description: "worlds can be made"
    script: |
      #!/bin/sh
      timeout 300 sh -c 'until command -v sub; do sleep 2; done'
    hint: "see /var/log/cloud-init-output.log in the guest"
`;
}
