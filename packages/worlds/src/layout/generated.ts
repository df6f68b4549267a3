/** The user that a program of a world is. */
export interface WorldUser {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
  readonly home: string;
  readonly shell: string;
}

/** A file of a world that is not the machine's. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/**
 * The files of /etc that are a world's own: its users tell nothing of the machine's, its names are the
 * gateway's.
 */
export function generatedFiles({ uid, gid, name, home, shell }: WorldUser): GeneratedFile[] {
  const nobody = 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin';
  return [
    {
      path: '/etc/passwd',
      text: `root:x:0:0:root:/root:/usr/sbin/nologin\n${name}:x:${uid}:${gid}:${name}:${home}:${shell}\n${nobody}\n`,
    },
    { path: '/etc/group', text: `root:x:0:\n${name}:x:${gid}:\nnogroup:x:65534:\n` },
    { path: '/etc/hosts', text: '127.0.0.1 localhost world\n::1 localhost\n' },
    { path: '/etc/resolv.conf', text: 'nameserver 10.99.0.2\noptions edns0\n' },
  ];
}
