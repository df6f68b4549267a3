#!/usr/bin/perl
# The first process of a world: starts the program, hands signals on to it, reaps what nobody waits for, and
# ends as the program ends, with which everything in the world ends.
#
#   init.pl LINE SIGNALS PROGRAM [ARGUMENT…]      SIGNALS: names with commas between them, or -
#
# LINE is a descriptor whose other end has whoever started the world. Bubblewrap binds the world to its parent
# only when all else is done: killed before, it would leave a world that nobody has.
use strict;
use warnings;
use Config;

my $is_arm = $Config{archname} =~ /^aarch64/;
# Numbers of the kernel: the modules that know them take longer to load than all of this takes.
use constant {
  PR_SET_DUMPABLE => 4, ENOENT => 2, EINTR => 4,
  F_SETFD => 2, F_SETFL => 4, F_SETOWN => 8, FD_CLOEXEC => 1, O_RDWR => 2, O_NONBLOCK => 0x800, O_ASYNC => 0x2000,
};
# Without it another process of the world could write into this one and into what it has open.
syscall($is_arm ? 167 : 157, PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 or die "prctl: $!\n";

my ($number, $signals, @program) = @ARGV;
open(my $line, '+<&=', $number) or die "line: $!\n";
$SIG{IO} = \&look;
fcntl($line, F_SETFD, FD_CLOEXEC) && fcntl($line, F_SETOWN, 0 + $$) && fcntl($line, F_SETFL, O_RDWR | O_NONBLOCK | O_ASYNC)
  or die "line: $!\n";
look();
my @handed = $signals eq '-' ? () : split /,/, $signals;
# Before the program: it may be sent a signal with its first word. One that comes earlier waits for it.
my ($child, @early);
for my $name (qw(INT QUIT TERM HUP USR1 USR2)) {
  my $is_handed = grep { $_ eq $name } @handed;
  $SIG{$name} = $is_handed ? sub { $child ? kill($name, $child) : push(@early, $name) } : sub { };
}
$child = fork;
# Of the limit of processes nothing is left: this one must not become the program.
if (!defined $child) { print STDERR "sub: the world may start no program: $!\n"; exit 126 }
if ($child == 0) {
  $SIG{$_} = 'DEFAULT' for qw(INT QUIT TERM HUP USR1 USR2 PIPE IO);
  kill $_, $$ for @early;
  { no warnings; exec { $program[0] } @program }
  my $is_missing = $! == ENOENT;
  print STDERR "sub: `$program[0]` ", ($is_missing ? 'is not in the world: `--read FOLDER` shows what lies outside of its project' : "cannot be started in the world ($!)"), "\n";
  exit($is_missing ? 127 : 126);
}
for (;;) {
  my $ended = wait;
  next if $ended == -1 && $! == EINTR;
  exit 125 if $ended == -1;
  next if $ended != $child;
  exit($? & 127 ? 128 + ($? & 127) : $? >> 8);
}

sub look {
  my $read = sysread($line, my $ignored, 1);
  exit 125 if defined $read && $read == 0;
}
