#!/usr/bin/perl
# Mounts again, in a world that is up, what stood on a file that was replaced outside: the kernel drops a mount
# with the file that it stands on.
#
#   guard.pl WORLD      on standard input, each word with a zero byte behind it: kind, path and text of each mount
#
#   kind  r  the file itself, which cannot be written      t  a file with that text
#         w  the folder itself                             n  nothing, which nobody can read
#
# WORLD is the process of ours whose child is the first one of the world. Written on standard output, with a zero
# byte behind each, are the paths where nothing is any more.
#
# Whoever has started a world has every right over its mounts, and nobody in it has any.
#
# It loads no module, not even `strict` and `warnings`: they take longer than all of this takes. A test checks
# it under both.

# By the head of the program that runs this: what it was built for.
my $is_arm = do {
  open(my $self, '<', '/proc/self/exe') or die "/proc/self/exe: $!\n";
  read($self, my $head, 20) == 20 or die "/proc/self/exe has no head\n";
  unpack('x18 S', $head) == 183;
};
my %number = (
  openat2 => 437, open_tree => 428, move_mount => 429, fsopen => 430, fsconfig => 431, fsmount => 432, mount_setattr => 442,
  $is_arm ? (setns => 268, setresgid => 149, setresuid => 147, mkdirat => 34) : (setns => 308, setresgid => 119, setresuid => 117, mkdirat => 258),
);
# Numbers of the kernel.
sub O_RDONLY() { 0 } sub O_WRONLY() { 1 } sub O_CREAT() { 0x40 } sub O_CLOEXEC() { 0x80000 } sub O_PATH() { 0x200000 }
sub CLONE_NEWNS() { 0x00020000 } sub CLONE_NEWUSER() { 0x10000000 } sub NS_GET_USERNS() { 0xb701 } sub AT_FDCWD() { -100 }
sub AT_EMPTY_PATH() { 0x1000 } sub RESOLVE_NO_SYMLINKS() { 4 } sub OPEN_TREE_CLONE() { 1 } sub FSCONFIG_CMD_CREATE() { 6 }
sub CLOSE_ON_EXEC() { 1 } sub RDONLY() { 1 } sub NOSUID() { 2 } sub NODEV() { 4 } sub NOEXEC() { 8 }
sub MOVE_MOUNT_F_EMPTY_PATH() { 4 } sub MOVE_MOUNT_T_EMPTY_PATH() { 0x40 } sub ENOENT() { 2 } sub ATTEMPTS() { 200 } sub EMPTY() { "\0" }

my ($world) = @ARGV;
my @words = split /\0/, do { local $/; <STDIN> } // '', -1;
enter($world);
while (@words >= 3) { mount_again(splice @words, 0, 3) }

sub call {
  my ($name, @arguments) = @_;
  my $result = syscall($number{$name}, @arguments);
  die "$name: $!\n" if $result == -1;
  return $result;
}

# The mounts of the world, as the user that owns them.
sub enter {
  my ($parent) = @_;
  my $own = (stat '/proc/self/ns/mnt')[1];
  open(my $children, '<', "/proc/$parent/task/$parent/children") or die "the world is gone: $!\n";
  my ($mounts, $users);
  for my $child (split / /, <$children> // '') {
    sysopen(my $handle, "/proc/$child/ns/mnt", O_RDONLY) or next;
    $mounts = $handle if (stat $handle)[1] != $own;
  }
  die "the world is gone\n" unless $mounts;
  $users = ioctl($mounts, NS_GET_USERNS, 0) or die "the mounts of the world are not ours: $!\n";
  call('setns', $users + 0, CLONE_NEWUSER);
  call('setresgid', 0, 0, 0);
  call('setresuid', 0, 0, 0);
  call('setns', fileno $mounts, CLONE_NEWNS);
}

# The kernel drops a mount a little before the other file has its name: until then nothing can be mounted there.
sub mount_again {
  my ($kind, $path, $text) = @_;
  for (1 .. ATTEMPTS) {
    return if mounted_once($kind, $path, $text);
    select(undef, undef, undef, 0.01);
  }
  die "$path: $!\n";
}

sub mounted_once {
  my ($kind, $path, $text) = @_;
  my $file = opened(AT_FDCWD, $path, O_PATH | O_CLOEXEC, 0);
  if ($file == -1) {
    # A link is nobody's word: it leads where the world has it lead.
    die "$path: $!\n" if $! != ENOENT;
    print "$path\0";
    return 1;
  }
  open(my $handle, '<&=', $file) or die "$path: $!\n";
  my $empty = EMPTY;
  my $tree = $kind =~ /[rw]/ ? call('open_tree', $file, $empty, OPEN_TREE_CLONE | O_CLOEXEC | AT_EMPTY_PATH) : made($kind, -d $handle, $text);
  if ($kind ne 'w') {
    my $attributes = pack('QQQQ', RDONLY | NOSUID | NODEV | ($kind eq 'r' ? 0 : NOEXEC), 0, 0, 0);
    call('mount_setattr', $tree, $empty, AT_EMPTY_PATH, $attributes, length $attributes);
  }
  my $moved = syscall($number{move_mount}, $tree, $empty, $file, $empty, MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
  die "$path: $!\n" if $moved == -1 && $! != ENOENT;
  return $moved == 0;
}

# A file of memory, or a folder: a mount of it, which stands nowhere yet.
sub made {
  my ($kind, $is_folder, $text) = @_;
  my ($type, $name) = ("tmpfs\0", "it\0");
  my $system = call('fsopen', $type, CLOSE_ON_EXEC);
  call('fsconfig', $system, FSCONFIG_CMD_CREATE, 0, 0, 0);
  my $memory = call('fsmount', $system, CLOSE_ON_EXEC, 0);
  if ($is_folder) { call('mkdirat', $memory, $name, 0) }
  else {
    my $file = opened($memory, 'it', O_WRONLY | O_CREAT, $kind eq 't' ? 0444 : 0);
    open(my $handle, '>&=', $file) or die "memory: $!\n";
    syswrite($handle, $text) == length $text or die "memory: $!\n";
  }
  return call('open_tree', $memory, $name, OPEN_TREE_CLONE | O_CLOEXEC);
}

sub opened {
  my ($folder, $name, $flags, $mode) = ($_[0], "$_[1]\0", $_[2], $_[3]);
  my $how = pack('QQQ', $flags, $mode, RESOLVE_NO_SYMLINKS);
  return syscall($number{openat2}, $folder, $name, $how, length $how);
}
