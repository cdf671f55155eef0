/** What runs, as health, metrics, traces and `--version` say it. A test compares it with the manifests. */
export const VERSION = '0.1.0'

/** What `--version` prints. */
export const VERSION_TEXT = `svc ${VERSION} (Node ${process.versions.node})`
