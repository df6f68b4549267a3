/** System calls that a filter names, by architecture. */
export interface SystemCalls {
  /** `AUDIT_ARCH_…` of linux/audit.h. */
  readonly arch: number;
  readonly socket: number;
  readonly clone: number;
  readonly clone3: number;
  readonly ioctl: number;
  readonly fcntl: number;
  /** Its flags and mode stand in memory, as those of clone3. */
  readonly openat2: number;
  /** Calls that give a file a mode, and which argument that is. */
  readonly modes: readonly (readonly [call: number, mode: number])[];
  /** Calls that may make a file, and which argument has their flags; the mode is the next one. */
  readonly opens: readonly (readonly [call: number, flags: number])[];
  /**
   * Calls that bound or slow a process, and which argument says which one; of some the first argument says
   * whether it is a process at all, or a group or all of a user, by this number.
   */
  readonly bounding: readonly (readonly [call: number, process: number, ofProcess?: number])[];
  /** Refused with EPERM. */
  readonly denied: readonly number[];
  /** Served, and written into the kernel's log. */
  readonly logged: readonly number[];
}

/** The same numbers everywhere (asm-generic/unistd.h from 424 on). */
const DENIED_EVERYWHERE = [
  425, // io_uring_setup: its operations pass no filter
  426, // io_uring_enter
  427, // io_uring_register
  428, // open_tree
  429, // move_mount
  430, // fsopen
  431, // fsconfig
  432, // fsmount
  433, // fspick
  438, // pidfd_getfd
  442, // mount_setattr
  443, // quotactl_fd
  447, // memfd_secret: memory that no limit counts
  457, // statmount: tells paths of the machine
  458, // listmount
  467, // open_tree_attr
];

/** x86-64: arch/x86/entry/syscalls/syscall_64.tbl. */
const X64: SystemCalls = {
  arch: 0xc000003e,
  socket: 41,
  clone: 56,
  clone3: 435,
  ioctl: 16,
  fcntl: 72,
  openat2: 437,
  modes: [
    [85, 1], // creat
    [90, 1], // chmod
    [91, 1], // fchmod
    [133, 1], // mknod
    [259, 2], // mknodat
    [268, 2], // fchmodat
    [452, 2], // fchmodat2
  ],
  opens: [
    [2, 1], // open
    [257, 2], // openat
  ],
  bounding: [
    [141, 1, 0], // setpriority
    [142, 0], // sched_setparam
    [144, 0], // sched_setscheduler
    [203, 0], // sched_setaffinity
    [251, 1, 1], // ioprio_set
    [302, 0], // prlimit64
    [314, 0], // sched_setattr
  ],
  denied: [
    ...DENIED_EVERYWHERE,
    101, // ptrace
    103, // syslog
    134, // uselib
    139, // sysfs
    154, // modify_ldt
    155, // pivot_root
    163, // acct
    165, // mount
    166, // umount2
    167, // swapon
    168, // swapoff
    169, // reboot
    172, // iopl
    173, // ioperm
    175, // init_module
    176, // delete_module
    179, // quotactl
    246, // kexec_load
    248, // add_key
    249, // request_key
    250, // keyctl
    272, // unshare
    298, // perf_event_open
    300, // fanotify_init
    304, // open_by_handle_at
    308, // setns
    310, // process_vm_readv
    311, // process_vm_writev
    312, // kcmp
    313, // finit_module
    320, // kexec_file_load
    321, // bpf
    323, // userfaultfd
  ],
  logged: [
    135, // personality
    161, // chroot
    278, // vmsplice
    303, // name_to_handle_at
    440, // process_madvise
  ],
};

/** arm64: asm-generic/unistd.h. */
const ARM64: SystemCalls = {
  arch: 0xc00000b7,
  socket: 198,
  clone: 220,
  clone3: 435,
  ioctl: 29,
  fcntl: 25,
  openat2: 437,
  modes: [
    [33, 2], // mknodat
    [52, 1], // fchmod
    [53, 2], // fchmodat
    [452, 2], // fchmodat2
  ],
  opens: [[56, 2]], // openat
  bounding: [
    [30, 1, 1], // ioprio_set
    [118, 0], // sched_setparam
    [119, 0], // sched_setscheduler
    [122, 0], // sched_setaffinity
    [140, 1, 0], // setpriority
    [261, 0], // prlimit64
    [274, 0], // sched_setattr
  ],
  denied: [
    ...DENIED_EVERYWHERE,
    39, // umount2
    40, // mount
    41, // pivot_root
    60, // quotactl
    89, // acct
    97, // unshare
    104, // kexec_load
    105, // init_module
    106, // delete_module
    116, // syslog
    117, // ptrace
    142, // reboot
    217, // add_key
    218, // request_key
    219, // keyctl
    224, // swapon
    225, // swapoff
    241, // perf_event_open
    262, // fanotify_init
    265, // open_by_handle_at
    268, // setns
    270, // process_vm_readv
    271, // process_vm_writev
    272, // kcmp
    273, // finit_module
    280, // bpf
    282, // userfaultfd
    294, // kexec_file_load
  ],
  logged: [
    51, // chroot
    75, // vmsplice
    92, // personality
    264, // name_to_handle_at
    440, // process_madvise
  ],
};

/** The system calls of an architecture, as Node names it; undefined for one that no filter is written for. */
export function systemCallsOf(architecture: string): SystemCalls | undefined {
  if (architecture === 'x64') return X64;
  return architecture === 'arm64' ? ARM64 : undefined;
}
