#!/usr/bin/perl
# Enters the network of a world, gives up what the world must not have, and becomes the program that builds
# the rest of it (bubblewrap).
#
#   enter.pl --parent PID --net PID --since START --files N [--door N=PATH] [--user UID] [--map PATH]… [--layer N:FOLDER] [--hide N:PATH]… [--limit NAME=NUMBER]… [--group FOLDER]… -- PROGRAM [ARGUMENT…]
#
# N is the first descriptor that is nobody's business: what this process has inherited from there on is closed.
#
# --door has this world's connections of PATH come in at descriptor N, each with whoever made it.
#
# START is when PID began, by the machine's clock ticks: another process may have its number by now.
#
# The N-th file of --map, counted from 0, is /mnt/N for bubblewrap: between the look at a path and the mount of
# it a program of another world could have put a link there, so it is mounted here, and no link is followed.
#
# --layer lays a layer over the N-th of them: what the world writes there goes to `upper` in FOLDER, and the
# files of the machine stay as they are. `work` there is the kernel's own.
#
# A path of --hide is one of that file, from there on: a mount that is empty and that nobody may read stands on
# it, and no link of it is followed. The mount stays with the file if it is renamed.
#
# Started by root it takes a plain user first: nothing in a world may be uid 0 of the machine, since the kernel
# asks for no more than that in /proc/sys. The files of --map, which root owns, then belong to that user by an
# id-mapped mount.
#
# Its environment is empty: a variable of the program's own could have this program, which is outside of the
# world, or bubblewrap run something.
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
  close_range => 436, openat2 => 437, open_tree => 428, move_mount => 429, mount_setattr => 442,
  $is_arm
  ? (sendmsg => 211, close => 57, dup3 => 24, prctl => 167, setns => 268, unshare => 97, mount => 40, prlimit64 => 261, setgroups => 159, setresgid => 149, setresuid => 147)
  : (sendmsg => 46, close => 3, dup3 => 292, prctl => 157, setns => 308, unshare => 272, mount => 165, prlimit64 => 302, setgroups => 116, setresgid => 119, setresuid => 117),
);
# Numbers of the kernel.
sub PF_UNIX() { 1 } sub SOCK_STREAM() { 1 } sub SOCK_SEQPACKET() { 5 } sub SOL_SOCKET() { 1 } sub SCM_RIGHTS() { 1 }
sub SO_PEERCRED() { 17 } sub MSG_NOSIGNAL() { 0x4000 } sub EPIPE() { 32 } sub O_RDONLY() { 0 } sub O_WRONLY() { 1 } sub O_CREAT() { 0x40 } sub O_EXCL() { 0x80 }
sub CLONE_NEWNS() { 0x00020000 } sub CLONE_NEWUSER() { 0x10000000 } sub CLONE_NEWNET() { 0x40000000 }
sub MS_NOSUID() { 2 } sub MS_NODEV() { 4 } sub MS_REC() { 0x4000 } sub MS_PRIVATE() { 0x40000 }
sub AT_FDCWD() { -100 } sub AT_EMPTY_PATH() { 0x1000 } sub AT_RECURSIVE() { 0x8000 }
sub OPEN_TREE_CLONE() { 1 } sub O_CLOEXEC() { 0x80000 } sub O_PATH() { 0x200000 }
sub RESOLVE_NO_SYMLINKS() { 4 } sub RESOLVE_BENEATH() { 8 } sub MOUNT_ATTR_NOSUID() { 2 }
sub MOUNT_ATTR_IDMAP() { 0x00100000 } sub MOVE_MOUNT_F_EMPTY_PATH() { 4 } sub MOVE_MOUNT_T_EMPTY_PATH() { 0x40 }
sub MOUNT_ATTR_RDONLY() { 1 } sub MOUNT_ATTR_NODEV() { 4 } sub MOUNT_ATTR_NOEXEC() { 8 }
my %limit_of = (cpu => 0, fsize => 1, data => 2, core => 4, nproc => 6, nofile => 7);

my ($parent, $net, $since, $files, $door, $user, $layer, @maps, @hides, @limits, @groups);
while (@ARGV) {
  my $word = shift @ARGV;
  last if $word eq '--';
  my $value = shift @ARGV // die "`$word` has no value\n";
  if ($word eq '--parent') { $parent = $value + 0 }
  elsif ($word eq '--net') { $net = $value }
  elsif ($word eq '--since') { $since = $value }
  elsif ($word eq '--files') { $files = $value + 0 }
  elsif ($word eq '--door') { $door = $value }
  elsif ($word eq '--user') { $user = $value + 0 }
  elsif ($word eq '--map') { push @maps, $value }
  elsif ($word eq '--layer') { $layer = $value }
  elsif ($word eq '--hide') { push @hides, $value }
  elsif ($word eq '--limit') { push @limits, $value }
  elsif ($word eq '--group') { push @groups, $value }
  else { die "`$word` is not known\n" }
}
die "no network, no files or no program\n" unless defined $parent && defined $net && defined $since && defined $files && @ARGV;
call('close_range', $files, 0xffffffff, 0);
open_door(split /=/, $door, 2) if defined $door;

my $is_root = $> == 0;
die "a world that root starts needs a plain user\n" if $is_root && !$user;
# First: all that comes of this process is bounded, and what root may is needed for it.
enter_group($_) for @groups;
join_network();
map_files();
set_limit(split /=/, $_, 2) for @limits;
become($user) if $is_root;
# Its parent may have ended before. If it ends from here on, LINE is what ends the world: the first process that
# bubblewrap has made waits for it without end, if it is killed before it says that all is ready.
exit 1 if getppid != $parent;
# Signals are for the program: its init puts them right again, and bubblewrap must not end of one.
$SIG{$_} = 'IGNORE' for qw(INT QUIT TERM HUP USR1 USR2);
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\n";

sub call {
  my ($name, @arguments) = @_;
  my $result = syscall($number{$name}, @arguments);
  die "$name: $!\n" if $result == -1;
  return $result;
}

# The caller alone has the place: a socket that nobody listens at any more goes first.
sub open_door {
  my ($number, $path) = @_;
  socket(my $socket, PF_UNIX, SOCK_STREAM, 0) or die "door: $!\n";
  unlink $path;
  umask 0177;
  bind($socket, pack('S Z108', PF_UNIX, $path)) && listen($socket, 16) or die "door: $!\n";
  umask 022;
  socketpair(my $outside, my $inside, PF_UNIX, SOCK_SEQPACKET, 0) or die "door: $!\n";
  my $keeper = fork // die "door: $!\n";
  if ($keeper == 0) { close $inside; keep_door($socket, $outside) }
  close $_ for $socket, $outside;
  # By way of a number that is not N: the copy is handed on, and this one is not.
  my $spare = call('dup3', fileno $inside, $number + 1, 0);
  close $inside;
  call('dup3', $spare, $number + 0, 0);
  call('close', $spare);
}

# The kernel tells who connects, and only out here: in the world that process has no number. So one process stays
# outside, takes each connection, and hands it in with the number and the beginning of whoever made it. It ends
# when nobody in the world has the other end any more.
sub keep_door {
  my ($socket, $inside) = @_;
  open(STDERR, '>', '/dev/null') or die "door: $!\n";
  call('dup3', fileno $socket, 0, 0);
  call('dup3', fileno $inside, 1, 0);
  call('close_range', 3, 0xffffffff, 0);
  for (;;) {
    my $wanted = '';
    vec($wanted, $_, 1) = 1 for 0, 1;
    next if select($wanted, undef, undef, undef) < 1;
    exit 0 if vec($wanted, 1, 1);
    # Without descriptors it would be asked again at once, for ever.
    if (!accept(my $client, STDIN)) { select(undef, undef, undef, 0.1) }
    else { hand_in($client) }
  }
}

sub hand_in {
  my ($client) = @_;
  my ($pid) = unpack('l', getsockopt($client, SOL_SOCKET, SO_PEERCRED) // return);
  my $who = "$pid " . start_of($pid);
  my $vector = pack('PQ', $who, length $who);
  my $control = pack('Qll l x4', 20, SOL_SOCKET, SCM_RIGHTS, fileno $client);
  my $message = pack('Q l x4 P Q P Q l x4', 0, 0, $vector, 1, $control, 24, 0);
  my $sent = syscall($number{sendmsg}, 1, $message, MSG_NOSIGNAL);
  exit 0 if $sent == -1 && $! == EPIPE;
}

# What PID is, is asked behind the opening: a handle stays with the namespace, a number does not.
sub join_network {
  my @kinds = $is_root ? (['net', CLONE_NEWNET]) : (['user', CLONE_NEWUSER], ['net', CLONE_NEWNET]);
  for my $kind (@kinds) {
    sysopen($kind->[2], "/proc/$net/ns/$kind->[0]", O_RDONLY) or die "the world is gone ($kind->[0]: $!)\n";
    die "the world is not apart\n" if (stat $kind->[2])[1] == (stat "/proc/self/ns/$kind->[0]")[1];
  }
  die "the world is gone\n" unless start_of($net) eq $since;
  call('setns', fileno $_->[2], $_->[1]) for @kinds;
}

sub start_of {
  my ($pid) = @_;
  open(my $stat, '<', "/proc/$pid/stat") or return '';
  local $/;
  my ($fields) = (<$stat> // '') =~ /.*\) (.*)/s or return '';
  return (split / /, $fields)[19] // '';
}

# Each file as a mount of its own, where root starts it one in which root's files are the user's. The mounts
# stand on a file system that only this process and what it starts see. It comes last, for what it hides.
sub map_files {
  call('unshare', CLONE_NEWNS);
  my ($none, $root, $tmpfs, $place, $options) = ("none\0", "/\0", "tmpfs\0", "/mnt\0", "mode=0755,size=1m\0");
  call('mount', $none, $root, $none, MS_REC | MS_PRIVATE, 0);
  return unless @maps;
  my $users = $is_root ? users("0 $user 1") : undef;
  my ($at, $above) = defined $layer ? split(/:/, $layer, 2) : ();
  my @trees = map { tree_of($_, $users) } @maps;
  # The kernel's own folder and marks there are root's, who has to be somebody on the disk, too: and the same
  # one when another user of another world goes on with the layer.
  my $both = $is_root && defined $at ? users("0 $user 1\n65534 0 1") : undef;
  my $over = defined $at ? tree_of($above, $both)->[0] : undef;
  call('mount', $tmpfs, $place, $tmpfs, MS_NOSUID | MS_NODEV, $options);
  put(@{ $trees[$_] }, "/mnt/$_") for 0 .. $#trees;
  if (defined $over) {
    put($over, 1, '/mnt/layer');
    lay_over($at);
  }
  hide_files() if @hides;
}

sub put {
  my ($tree, $is_folder, $target) = @_;
  if ($is_folder) { mkdir $target or die "$target: $!\n" }
  else { sysopen(my $file, $target, O_WRONLY | O_CREAT | O_EXCL) or die "$target: $!\n" }
  my ($path, $empty) = ("$target\0", "\0");
  call('move_mount', $tree, $empty, AT_FDCWD, $path, MOVE_MOUNT_F_EMPTY_PATH);
  call('close', $tree);
}

# A folder that is renamed is copied, and no file is only half copied: whoever reads the layer finds all of it
# there: `userxattr` turns both off. The marks of a layer are `trusted.*` where root makes it, which nobody in
# a world can write. The names are those from here: the world can read them.
sub lay_over {
  my ($place) = @_;
  chdir '/mnt' or die "/mnt: $!\n";
  my $how = join ',', "lowerdir=$place", 'upperdir=layer/upper', 'workdir=layer/work',
    'index=off', $is_root ? ('redirect_dir=off', 'metacopy=off') : 'userxattr';
  my ($kind, $target, $options) = ("overlay\0", "$place\0", "$how\0");
  my $result = syscall($number{mount}, $kind, $target, $kind, MS_NOSUID | MS_NODEV, $options);
  die "no layer can be laid over the project: $!\n" if $result == -1;
}

sub hide_files {
  my ($file, $folder, $empty) = ('/mnt/hidden-file', '/mnt/hidden-folder', "\0");
  sysopen(my $made, $file, O_WRONLY | O_CREAT | O_EXCL, 0) or die "$file: $!\n";
  mkdir $folder, 0 or die "$folder: $!\n";
  for my $hide (@hides) {
    my ($index, $path) = split /:/, $hide, 2;
    sysopen(my $map, "/mnt/$index", O_PATH | O_CLOEXEC) or die "/mnt/$index: $!\n";
    my ($name, $how) = ("$path\0", pack('QQQ', O_PATH | O_CLOEXEC, 0, RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH));
    my $target = syscall($number{openat2}, fileno $map, $name, $how, length $how);
    die "`$path` is not what it was: $!\n" if $target == -1;
    my $nothing = (-d "/proc/self/fd/$target" ? $folder : $file) . "\0";
    my $tree = call('open_tree', AT_FDCWD, $nothing, OPEN_TREE_CLONE | O_CLOEXEC);
    my $attributes = pack('QQQQ', MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, 0, 0, 0);
    call('mount_setattr', $tree, $empty, AT_EMPTY_PATH, $attributes, length $attributes);
    call('move_mount', $tree, $empty, $target, $empty, MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
    call('close', $_) for $tree, $target;
  }
}

sub tree_of {
  my ($map, $users) = @_;
  my ($source, $empty, $how) = ("$map\0", "\0", pack('QQQ', O_PATH | O_CLOEXEC, 0, RESOLVE_NO_SYMLINKS));
  my $file = syscall($number{openat2}, AT_FDCWD, $source, $how, length $how);
  die "`$map` is not what it was: $!\n" if $file == -1;
  my $is_folder = -d "/proc/self/fd/$file";
  my $flags = OPEN_TREE_CLONE | O_CLOEXEC | AT_EMPTY_PATH | ($users ? 0 : AT_RECURSIVE);
  my $tree = call('open_tree', $file, $empty, $flags);
  call('close', $file);
  if ($users) {
    my $attributes = pack('QQQQ', MOUNT_ATTR_IDMAP | MOUNT_ATTR_NOSUID, 0, 0, fileno $users);
    call('mount_setattr', $tree, $empty, AT_EMPTY_PATH, $attributes, length $attributes);
  }
  return [$tree, $is_folder];
}

# A user namespace in which those on the disk are whom the map says, and nobody else is anybody.
sub users {
  my ($of) = @_;
  pipe(my $made, my $tell) or die "pipe: $!\n";
  pipe(my $wait, my $done) or die "pipe: $!\n";
  my $child = fork // die "fork: $!\n";
  if ($child == 0) {
    exit 1 if syscall($number{unshare}, CLONE_NEWUSER) != 0;
    syswrite($tell, 'x');
    close $done;
    sysread($wait, my $ignored, 1);
    exit 0;
  }
  close $tell;
  sysread($made, my $ignored, 1) or die "root may not make user namespaces\n";
  for my $file ('uid_map', 'gid_map') {
    open(my $map, '>', "/proc/$child/$file") or die "$file: $!\n";
    syswrite($map, $of) or die "$file: $!\n";
  }
  sysopen(my $handle, "/proc/$child/ns/user", O_RDONLY) or die "user namespace: $!\n";
  close $done;
  waitpid $child, 0;
  return $handle;
}

sub enter_group {
  my ($folder) = @_;
  open(my $processes, '>', "$folder/cgroup.procs") or die "the limits of the world are gone: $!\n";
  defined syswrite($processes, $$) or die "the limits of the world cannot be entered: $!\n";
  close $processes or die "the limits of the world cannot be entered: $!\n";
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
