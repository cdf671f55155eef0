#!/bin/sh
# Makes the secrets of the compose files in deploy/compose/secrets, each in a file of its own. What is there stays: a new
# pepper would make every key worthless.
#
# The folder is for its owner alone. The files in it are readable by all, since a container reads them as another user.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets

# Writes standard input into a file that is not there yet.
keep() {
  if [ -e "secrets/$1" ]; then
    cat >/dev/null
    echo "kept    secrets/$1"
  else
    cat >"secrets/.$1.new"
    chmod 444 "secrets/.$1.new"
    mv "secrets/.$1.new" "secrets/$1"
    echo "made    secrets/$1"
  fi
}

random() {
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n'
  echo
}

for name in key-pepper session-secret postgres-password grafana-password; do random | keep "$name"; done
echo "postgres://svc:$(cat secrets/postgres-password)@postgres:5432/svc" | keep database-url
# Of the store for files; for a bucket elsewhere put its keys into these files.
for name in s3-access-key-id s3-secret-access-key; do random | keep "$name"; done
# Given by another. A gateway that finds an empty one says so and does not start.
printf '' | keep upstream-key
[ -s secrets/upstream-key ] || echo "Put the key of your upstream into $PWD/secrets/upstream-key."
