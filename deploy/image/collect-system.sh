#!/bin/sh
# Copies Node and the shared libraries that it loads into a folder that becomes the root of an image, with the licence
# and the package entry of each, users, and the folders that a process expects. Runs in the build, on Debian.
#
# Usage: collect-system.sh FOLDER
set -eu
system=$1
node=/usr/local/bin/node

mkdir -p "$system/usr/local/bin" "$system/etc" "$system/tmp" "$system/var/lib/dpkg/status.d"
chmod 1777 "$system/tmp"
# Its own volume, and a place for one that several gateways share: a volume that is new takes the owner from here.
for folder in svc svc-shared; do
  mkdir "$system/var/lib/$folder"
  chown 10001:10001 "$system/var/lib/$folder"
  chmod 700 "$system/var/lib/$folder"
done
cp "$node" "$system$node"

# Lines such as "libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x…)", and the loader's own without an arrow. Packages
# with native parts load two more of the C library.
loaded=$(ldd "$node" | grep -o '/[^ ]*')
c_library=$(dirname "$(echo "$loaded" | grep '/libc\.so')")
for library in $loaded "$c_library/libresolv.so.2" "$c_library/librt.so.1"; do
  mkdir -p "$system$(dirname "$library")"
  cp -L "$library" "$system$library"
  owner=$(dpkg-query --search "$library" 2>/dev/null || dpkg-query --search "$(realpath "$library")")
  package=${owner%%:*}
  dpkg-query --status "$package" >"$system/var/lib/dpkg/status.d/$package"
  mkdir -p "$system/usr/share/doc/$package"
  cp -L "/usr/share/doc/$package/copyright" "$system/usr/share/doc/$package/"
done
cp /etc/debian_version "$system/etc/"
cp -L /etc/os-release "$system/etc/os-release"

printf '127.0.0.1 localhost\n::1 localhost\n' >"$system/etc/hosts"
printf 'root:x:0:0::/:/sbin/nologin\nsvc:x:10001:10001::/var/lib/svc:/sbin/nologin\n' >"$system/etc/passwd"
printf 'root:x:0:\nsvc:x:10001:\n' >"$system/etc/group"
# Names of this machine before the network's.
printf 'hosts: files dns\n' >"$system/etc/nsswitch.conf"

# A library that is missing shows here, not at the first start.
chroot "$system" "$node" --version
