#!/usr/bin/perl
# Enters the network of a world, gives up what the world must not have, and becomes the program that builds
# the rest of it (bubblewrap).
#
#   enter.pl --net PID --files N [--user UID] [--map PATH]… [--limit NAME=NUMBER]… -- PROGRAM [ARGUMENT…]
#
# N is the first descriptor that is nobody's business: what this process has inherited from there on is closed.
#
# Started by root it takes a plain user first: nothing in a world may be uid 0 of the machine, since the kernel
# asks for no more than that in /proc/sys. The files of --map, which root owns, then belong to that user by an
# id-mapped mount; the N-th of them, counted from 0, is /mnt/N for bubblewrap.
#
# Its environment is empty: a variable of the program's own could have this program, which is outside of the
# world, or bubblewrap run something.
use strict;
use warnings;
use Fcntl;
use POSIX ();

my $is_arm = (POSIX::uname())[4] eq 'aarch64';
my %number = (
  close_range => 436, open_tree => 428, move_mount => 429, mount_setattr => 442,
  $is_arm
  ? (setns => 268, unshare => 97, mount => 40, prlimit64 => 261, setgroups => 159, setresgid => 149, setresuid => 147)
  : (setns => 308, unshare => 272, mount => 165, prlimit64 => 302, setgroups => 116, setresgid => 119, setresuid => 117),
);
use constant {
  CLONE_NEWNS => 0x00020000, CLONE_NEWUSER => 0x10000000, CLONE_NEWNET => 0x40000000,
  MS_NOSUID => 2, MS_NODEV => 4, MS_REC => 0x4000, MS_PRIVATE => 0x40000,
  AT_FDCWD => -100, AT_EMPTY_PATH => 0x1000, OPEN_TREE_CLONE => 1, O_CLOEXEC => 0x80000,
  MOUNT_ATTR_NOSUID => 2, MOUNT_ATTR_IDMAP => 0x00100000, MOVE_MOUNT_F_EMPTY_PATH => 4,
};
my %limit_of = (cpu => 0, fsize => 1, data => 2, core => 4, nproc => 6, nofile => 7);

my ($net, $files, $user, @maps, @limits);
while (@ARGV) {
  my $word = shift @ARGV;
  last if $word eq '--';
  my $value = shift @ARGV // die "`$word` has no value\n";
  if ($word eq '--net') { $net = $value }
  elsif ($word eq '--files') { $files = $value + 0 }
  elsif ($word eq '--user') { $user = $value + 0 }
  elsif ($word eq '--map') { push @maps, $value }
  elsif ($word eq '--limit') { push @limits, $value }
  else { die "`$word` is not known\n" }
}
die "no network, no files or no program\n" unless defined $net && defined $files && @ARGV;
call('close_range', $files, 0xffffffff, 0);

my $is_root = $> == 0;
die "a world that root starts needs a plain user\n" if $is_root && !$user;
if (!$is_root) { join_namespace('user', CLONE_NEWUSER) }
join_namespace('net', CLONE_NEWNET);
map_files() if $is_root;
set_limit(split /=/, $_, 2) for @limits;
become($user) if $is_root;
# Signals are for the program: its init puts them right again, and bubblewrap must not end of one.
$SIG{$_} = 'IGNORE' for qw(INT QUIT TERM HUP USR1 USR2);
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\n";

sub call {
  my ($name, @arguments) = @_;
  my $result = syscall($number{$name}, @arguments);
  die "$name: $!\n" if $result == -1;
  return $result;
}

sub join_namespace {
  my ($kind, $flag) = @_;
  sysopen(my $handle, "/proc/$net/ns/$kind", O_RDONLY) or die "the world is gone ($kind: $!)\n";
  call('setns', fileno $handle, $flag);
}

# Each file as a mount of its own in which root's files are the user's. The mounts stand on a file system that
# only this process and what it starts see.
sub map_files {
  call('unshare', CLONE_NEWNS);
  my ($none, $root, $tmpfs, $place, $options) = ("none\0", "/\0", "tmpfs\0", "/mnt\0", "mode=0755,size=1m\0");
  call('mount', $none, $root, $none, MS_REC | MS_PRIVATE, 0);
  return unless @maps;
  call('mount', $tmpfs, $place, $tmpfs, MS_NOSUID | MS_NODEV, $options);
  my $users = users();
  for my $index (0 .. $#maps) {
    my $target = "/mnt/$index";
    if (-d $maps[$index]) { mkdir $target or die "$target: $!\n" }
    else { sysopen(my $file, $target, O_WRONLY | O_CREAT | O_EXCL) or die "$target: $!\n" }
    my ($source, $path, $empty) = ("$maps[$index]\0", "$target\0", "\0");
    my $tree = call('open_tree', AT_FDCWD, $source, OPEN_TREE_CLONE | O_CLOEXEC);
    my $attributes = pack('QQQQ', MOUNT_ATTR_IDMAP | MOUNT_ATTR_NOSUID, 0, 0, fileno $users);
    call('mount_setattr', $tree, $empty, AT_EMPTY_PATH, $attributes, length $attributes);
    call('move_mount', $tree, $empty, AT_FDCWD, $path, MOVE_MOUNT_F_EMPTY_PATH);
    POSIX::close($tree);
  }
}

# A user namespace in which root on the disk is the user, and nobody else is anybody.
sub users {
  pipe(my $made, my $tell) or die "pipe: $!\n";
  pipe(my $wait, my $done) or die "pipe: $!\n";
  my $child = fork // die "fork: $!\n";
  if ($child == 0) {
    POSIX::_exit(1) if syscall($number{unshare}, CLONE_NEWUSER) != 0;
    syswrite($tell, 'x');
    close $done;
    sysread($wait, my $ignored, 1);
    POSIX::_exit(0);
  }
  close $tell;
  sysread($made, my $ignored, 1) or die "root may not make user namespaces\n";
  for my $file ('uid_map', 'gid_map') {
    open(my $map, '>', "/proc/$child/$file") or die "$file: $!\n";
    syswrite($map, "0 $user 1") or die "$file: $!\n";
  }
  sysopen(my $handle, "/proc/$child/ns/user", O_RDONLY) or die "user namespace: $!\n";
  close $done;
  waitpid $child, 0;
  return $handle;
}

sub set_limit {
  my ($name, $most) = @_;
  my $number = $limit_of{$name} // die "`$name` is no limit\n";
  my $pair = pack('QQ', $most, $most);
  call('prlimit64', 0, $number, $pair, 0);
}

sub become {
  my ($uid) = @_;
  call('setgroups', 0, 0);
  call('setresgid', $uid, $uid, $uid);
  call('setresuid', $uid, $uid, $uid);
}
