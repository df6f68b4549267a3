/** A call that changes a file by its path: which arguments are what, by their index. */
export interface PathCall {
  readonly number: number;
  readonly kind: 'mode' | 'times' | 'length';
  /** Undefined: the path is the working folder's. */
  readonly folder: number | undefined;
  readonly path: number;
  readonly value: number;
  readonly flags: number | undefined;
}

/** System calls that matter where the machine's own network and processes are in reach. */
export interface NamedCalls {
  readonly connect: number;
  readonly listen: number;
  readonly socketpair: number;
  readonly sendto: number;
  /** Calls that send what stands in memory, and which argument has their flags. */
  readonly sends: readonly (readonly [call: number, flags: number])[];
  readonly changes: readonly PathCall[];
  /** Refused with EPERM: owners by path, and what processes share without a file. */
  readonly denied: readonly number[];
  /** Refused as by a file system without them: attributes by path. */
  readonly attributes: readonly number[];
}

/** The same numbers everywhere. */
const ATTRIBUTES_EVERYWHERE = [
  463, // setxattrat
  466, // removexattrat
  469, // file_setattr
];
const FCHMODAT2: PathCall = { number: 452, kind: 'mode', folder: 0, path: 1, value: 2, flags: 3 };

const X64: NamedCalls = {
  connect: 42,
  listen: 50,
  socketpair: 53,
  sendto: 44,
  sends: [
    [46, 2], // sendmsg
    [307, 3], // sendmmsg
  ],
  changes: [
    { number: 90, kind: 'mode', folder: undefined, path: 0, value: 1, flags: undefined }, // chmod
    { number: 268, kind: 'mode', folder: 0, path: 1, value: 2, flags: undefined }, // fchmodat
    FCHMODAT2,
    { number: 280, kind: 'times', folder: 0, path: 1, value: 2, flags: 3 }, // utimensat
    { number: 76, kind: 'length', folder: undefined, path: 0, value: 1, flags: undefined }, // truncate
  ],
  denied: [
    29, // shmget
    30, // shmat
    31, // shmctl
    64, // semget
    65, // semop
    66, // semctl
    68, // msgget
    69, // msgsnd
    70, // msgrcv
    71, // msgctl
    92, // chown
    94, // lchown
    132, // utime
    220, // semtimedop
    235, // utimes
    240, // mq_open
    241, // mq_unlink
    260, // fchownat
    261, // futimesat
  ],
  attributes: [
    ...ATTRIBUTES_EVERYWHERE,
    188, // setxattr
    189, // lsetxattr
    197, // removexattr
    198, // lremovexattr
  ],
};

const ARM64: NamedCalls = {
  connect: 203,
  listen: 201,
  socketpair: 199,
  sendto: 206,
  sends: [
    [211, 2], // sendmsg
    [269, 3], // sendmmsg
  ],
  changes: [
    { number: 53, kind: 'mode', folder: 0, path: 1, value: 2, flags: undefined }, // fchmodat
    FCHMODAT2,
    { number: 88, kind: 'times', folder: 0, path: 1, value: 2, flags: 3 }, // utimensat
    { number: 45, kind: 'length', folder: undefined, path: 0, value: 1, flags: undefined }, // truncate
  ],
  denied: [
    54, // fchownat
    180, // mq_open
    181, // mq_unlink
    186, // msgget
    187, // msgctl
    188, // msgrcv
    189, // msgsnd
    190, // semget
    191, // semctl
    192, // semtimedop
    193, // semop
    194, // shmget
    195, // shmctl
    196, // shmat
  ],
  attributes: [
    ...ATTRIBUTES_EVERYWHERE,
    5, // setxattr
    6, // lsetxattr
    14, // removexattr
    15, // lremovexattr
  ],
};

/** Those of an architecture, as Node names it; undefined for one that no filter is written for. */
export function namedCallsOf(architecture: string): NamedCalls | undefined {
  if (architecture === 'x64') return X64;
  return architecture === 'arm64' ? ARM64 : undefined;
}
