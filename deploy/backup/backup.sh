#!/bin/sh
# Dumps a PostgreSQL database again and again, and removes old dumps.
#
#   backup.sh         a dump now, and then one every BACKUP_EVERY_SECONDS, until a signal
#   backup.sh once    one dump; the exit code says whether it was made
#   backup.sh check   whether the newest dump is younger than two intervals, for a health check
#
# Where and as whom it connects say PGHOST, PGPORT, PGUSER, PGDATABASE, and PGPASSWORD_FILE with the password.
# BACKUP_DIR (/backups), BACKUP_EVERY_SECONDS (3600), BACKUP_KEEP_DAYS (14), BACKUP_KEEP_LEAST (3).
set -eu
umask 077
folder=${BACKUP_DIR:-/backups}
every=${BACKUP_EVERY_SECONDS:-3600}
keep_days=${BACKUP_KEEP_DAYS:-14}
keep_least=${BACKUP_KEEP_LEAST:-3}
if [ -n "${PGPASSWORD_FILE:-}" ]; then
  PGPASSWORD=$(cat "$PGPASSWORD_FILE")
  export PGPASSWORD
fi

# A dump has its name only once it is whole, read again and on the disk.
dump() {
  name=svc-$(date -u +%Y%m%dT%H%M%SZ).dump
  part=$folder/.$name.part
  if pg_dump --format=custom --no-owner --file="$part" && pg_restore --list "$part" >/dev/null; then
    sync "$part"
    mv "$part" "$folder/$name"
    sync "$folder"
    echo "made $name ($(wc -c <"$folder/$name" | tr -d ' ') bytes)"
  else
    rm -f "$part"
    echo "no dump was made" >&2
    return 1
  fi
}

# Old dumps go, but never the newest few: where dumps have failed for weeks, those are all there is.
prune() {
  find "$folder" -maxdepth 1 -name '.svc-*.dump.part' -mmin +1440 -delete
  find "$folder" -maxdepth 1 -name 'svc-*.dump' | sort -r | tail -n "+$((keep_least + 1))" | while read -r old; do
    if [ -n "$(find "$old" -mtime "+$((keep_days - 1))")" ]; then
      rm -f "$old"
      echo "removed $(basename "$old")"
    fi
  done
}

case ${1:-} in
  once)
    dump
    prune
    ;;
  check)
    newest=$(find "$folder" -maxdepth 1 -name 'svc-*.dump' -mmin "-$((every / 30 + 1))" | head -n 1)
    [ -n "$newest" ] || { echo "there is no dump younger than $((every * 2)) s" >&2; exit 1; }
    ;;
  '')
    trap 'exit 0' TERM INT
    while :; do
      if dump; then prune; fi
      # In the background, so that a signal is not kept waiting.
      sleep "$every" &
      wait $!
    done
    ;;
  *)
    echo "usage: backup.sh [once|check]" >&2
    exit 2
    ;;
esac
