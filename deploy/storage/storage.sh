#!/bin/sh
# An S3-compatible store on one folder, with one bucket: what gateways on one database keep files in (docs/deployment.md).
# The keys are files, so that no variable of the container holds them before this runs.
set -eu
: "${STORAGE_DIR:?Set the folder of the store.}" "${STORAGE_BUCKET:?Set the name of the bucket.}"
: "${STORAGE_PORT:=7070}"
ROOT_ACCESS_KEY=$(cat "${ACCESS_KEY_ID_FILE:?Set the file of the access key id.}")
ROOT_SECRET_KEY=$(cat "${SECRET_ACCESS_KEY_FILE:?Set the file of the secret access key.}")
export ROOT_ACCESS_KEY ROOT_SECRET_KEY
umask 077
# A folder is a bucket.
mkdir -p "$STORAGE_DIR/$STORAGE_BUCKET"
exec versitygw --port ":$STORAGE_PORT" --health /health posix "$STORAGE_DIR"
