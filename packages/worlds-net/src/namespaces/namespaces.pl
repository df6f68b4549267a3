#!/usr/bin/perl
# Makes the network of one world and hands its two doors to the gateway that started this program.
#
# A listening socket belongs to the network namespace in which it was made, and whoever holds its descriptor
# accepts what comes to it. So the gateway serves every world itself, and no world has a road of its own.
#
#   127.0.0.0/8        the world's own loopback
#   127.0.0.1:PORT     the gateway's door for clients, in the world of an agent
#   10.99.0.2:53/udp   names
#   any other address  TCP ends at the gateway, which sees address and port as they were meant;
#                      everything that is not TCP is refused at once, and while there is no gateway TCP, too:
#                      else a program here could answer for other addresses
#
# The program ends when its standard input does, that is with the gateway.
#
#   namespaces.pl PID START COOKIE
#
# takes the network over that the process PID is in, and that another gateway had: its links and rules stand,
# its doors are made anew. START is when that process began. COOKIE is the kernel's own number of the network,
# which no other one gets: a number that leads elsewhere by now opens nothing.
#
# It loads no module, not even `strict` and `warnings`: they take longer than all of this takes. A test checks
# it under both.

# By the head of the program that runs this: what it was built for.
my $is_arm = do {
  open(my $self, '<', '/proc/self/exe') or die "/proc/self/exe: $!\n";
  read($self, my $head, 20) == 20 or die "/proc/self/exe has no head\n";
  unpack('x18 S', $head) == 183;
};
my %number = $is_arm ? (sendmsg => 211, unshare => 97, prctl => 167, setns => 268, getsockopt => 209) : (sendmsg => 46, unshare => 272, prctl => 157, setns => 308, getsockopt => 55);
sub CLONE_NEWUSER() { 0x10000000 } sub CLONE_NEWNET() { 0x40000000 } sub PR_SET_PDEATHSIG() { 1 }
sub SIGKILL() { 9 } sub PF_INET() { 2 } sub SOCK_STREAM() { 1 } sub SOCK_DGRAM() { 2 } sub SOL_SOCKET() { 1 }
sub O_RDONLY() { 0 } sub NS_GET_USERNS() { 0xb701 } sub SO_NETNS_COOKIE() { 71 }
sub SO_REUSEADDR() { 2 } sub IP_TRANSPARENT() { 19 } sub TCP_PORT() { 15001 } sub OWN() { '10.99.0.2' }

my ($inside, $since, $expected) = @ARGV;
defined $expected ? join_network() : make_network();
# Behind the change of user, which takes it back.
syscall($number{prctl}, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 or die "prctl: $!\n";

socket(my $tcp, PF_INET, SOCK_STREAM, 0) or die "socket: $!\n";
socket(my $udp, PF_INET, SOCK_DGRAM, 0) or die "socket: $!\n";
# Empty where the kernel has none (before Linux 5.14): no other gateway takes the network over. Perl's own
# getsockopt gives more room than the kernel takes for it.
my ($told, $length) = ("\0" x 8, pack('l', 8));
my $answer = syscall($number{getsockopt}, fileno $udp, SOL_SOCKET, SO_NETNS_COOKIE, $told, $length);
my $cookie = $answer == 0 ? unpack('Q', $told) : '';
# Before anything is bound: a network that is another run's is not even kept from its own gateway.
die "the process is in another network\n" if defined $expected && $cookie ne $expected;
setsockopt($tcp, SOL_SOCKET, SO_REUSEADDR, 1) or die "SO_REUSEADDR: $!\n";
setsockopt($tcp, 0, IP_TRANSPARENT, pack('l', 1)) or die "IP_TRANSPARENT: $!\n";
bind($tcp, address(TCP_PORT, '0.0.0.0')) or die "bind: $!\n";
listen($tcp, 512) or die "listen: $!\n";
bind($udp, address(53, OWN)) or die "bind: $!\n";

# Node's own framing of a handle on the channel of a child (lib/internal/child_process.js); the gateway checks
# that both arrive, so another framing is an error and nothing else.
my $fd = $ENV{NODE_CHANNEL_FD} // die "there is no channel\n";
open(my $channel, '+<&=', $fd) or die "channel: $!\n";
hand('{"cmd":"NODE_HANDLE","type":"net.Server","msg":{"door":"tcp"}}', $tcp);
hand('{"cmd":"NODE_HANDLE","type":"dgram.Socket","msg":{"door":"udp"},"dgramType":"udp4"}', $udp);
# A copy that stays here would take connections and answer none.
close $tcp;
close $udp;
syswrite($channel, qq({"door":"ready","cookie":"$cookie"}\n));
# The gateway's own door for clients, where it wants one here: at the port that they know it by.
while (defined(my $line = <STDIN>)) {
  my ($port) = $line =~ /^listen ([0-9]{1,5})\n\z/ or die "the gateway asks for something else\n";
  socket(my $door, PF_INET, SOCK_STREAM, 0) or die "socket: $!\n";
  setsockopt($door, SOL_SOCKET, SO_REUSEADDR, 1) or die "SO_REUSEADDR: $!\n";
  bind($door, address($port, '127.0.0.1')) or die "port $port: $!\n";
  listen($door, 128) or die "listen: $!\n";
  hand('{"cmd":"NODE_HANDLE","type":"net.Server","msg":{"door":"loopback"}}', $door);
}

sub make_network {
  namespaces();
  # Side by side: neither needs the other.
  my $links = started_with("link set lo up\naddr add @{[OWN]}/32 dev lo\nroute add local default dev lo src @{[OWN]}\n", 'ip', '-batch', '-');
  my $rules = started_with(<<"RULES", 'nft', '-f', '-');
table ip world {
  chain in {
    type filter hook prerouting priority mangle; policy accept;
    iifname lo ip daddr != { 127.0.0.0/8, @{[OWN]} } meta l4proto tcp tproxy to :@{[TCP_PORT]} meta mark set 1 accept
  }
  chain local {
    type filter hook input priority 0; policy accept;
    iifname lo ip daddr != { 127.0.0.0/8, @{[OWN]} } meta l4proto tcp meta mark != 1 reject with tcp reset
  }
  chain out {
    type filter hook output priority 0; policy accept;
    ip daddr != { 127.0.0.0/8, @{[OWN]} } meta l4proto != tcp reject with icmp type admin-prohibited
  }
}
table ip6 world {
  chain out {
    type filter hook output priority 0; policy accept;
    ip6 daddr != ::1 reject
  }
}
RULES
  wait_for($links, "ip does not take the links of a world");
  wait_for($rules, "nft does not take the rules of a world");
}

# The network is the user's whose namespace has made it: only who is root there may open the doors. What PID is,
# is asked behind the opening: a handle stays with the network, a number does not.
sub join_network {
  sysopen(my $network, "/proc/$inside/ns/net", O_RDONLY) or die "the world is gone: $!\n";
  die "the world is gone\n" unless start_of($inside) eq $since;
  die "the world is not apart\n" if (stat $network)[1] == (stat '/proc/self/ns/net')[1];
  if ($> != 0) {
    my $owner = ioctl($network, NS_GET_USERNS, 0) or die "NS_GET_USERNS: $!\n";
    syscall($number{setns}, $owner + 0, CLONE_NEWUSER) == 0 or die "setns: $!\n";
  }
  syscall($number{setns}, fileno $network, CLONE_NEWNET) == 0 or die "setns: $!\n";
}

sub start_of {
  my ($pid) = @_;
  open(my $stat, '<', "/proc/$pid/stat") or return '';
  local $/;
  my ($fields) = (<$stat> // '') =~ /.*\) (.*)/s or return '';
  return (split / /, $fields)[19] // '';
}

# Started by root the network belongs to root, and nobody inside has a right over it. Started by another user
# it belongs to a user namespace of theirs.
sub namespaces {
  my ($uid, $gid) = ($>, $) + 0);
  my $flags = CLONE_NEWNET | ($uid == 0 ? 0 : CLONE_NEWUSER);
  syscall($number{unshare}, $flags) == 0 or die "unshare: $!\n";
  return if $uid == 0;
  put('setgroups', 'deny');
  put('uid_map', "0 $uid 1");
  put('gid_map', "0 $gid 1");
}

sub address {
  my ($port, $host) = @_;
  return pack('S n C4 x8', PF_INET, $port, split(/\./, $host));
}

sub put {
  my ($file, $text) = @_;
  open(my $handle, '>', "/proc/self/$file") or die "$file: $!\n";
  syswrite($handle, $text) == length $text or die "$file: $!\n";
}

# The text is there as a whole before the command reads it: a pipe takes this much.
sub started_with {
  my ($text, @command) = @_;
  pipe(my $read, my $write) or die "pipe: $!\n";
  syswrite($write, $text) == length $text or die "pipe: $!\n";
  close $write;
  my $child = fork // die "fork: $!\n";
  if ($child == 0) {
    open(STDIN, '<&', $read) or die "pipe: $!\n";
    exec { $command[0] } @command or die "$command[0]: $!\n";
  }
  close $read;
  return $child;
}

sub wait_for {
  my ($child, $why) = @_;
  waitpid($child, 0) == $child && $? == 0 or die "$why\n";
}

# One line and one descriptor (SCM_RIGHTS); then Node's answer that it has it.
sub hand {
  my ($json, $handle) = @_;
  my $line = "$json\n";
  my $vector = pack('PQ', $line, length $line);
  my $control = pack('Qll l x4', 20, SOL_SOCKET, 1, fileno $handle);
  my $message = pack('Q l x4 P Q P Q l x4', 0, 0, $vector, 1, $control, 24, 0);
  my $sent = syscall($number{sendmsg}, $fd + 0, $message, 0);
  $sent == length $line or die "sendmsg: $!\n";
  sysread($channel, my $answer, 4096) or die "the gateway is gone\n";
}
