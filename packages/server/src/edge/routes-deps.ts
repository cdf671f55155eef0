/** What routes are given that read what other rooms keep: models, usage, files, health. */
import type { HealthReply } from '@svc/contract'
import type { ReadUsageDeps } from '../money/billing/read-usage.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { MediaFiles } from '../platform/files/media-files.ts'
import type { UrlSigner } from '../platform/files/url-signer.ts'
import type { DeviceSignInDeps } from '../access/devices/device-sign-in.ts'
import type { FollowerKeysDeps } from '../access/keys/follower-keys.ts'
import type { MirrorKeyDeps } from '../access/keys/mirror-key.ts'
import type { RouteKit } from './route-kit.ts'

export interface ModelRoutesDeps extends RouteKit {
  readonly catalog: Catalog
}

export interface UsageRoutesDeps extends RouteKit {
  readonly usage: ReadUsageDeps
}

/** Files that clients download at signed addresses. */
export interface MediaRoutesDeps extends RouteKit {
  readonly media: EdgeMedia
}

/** Files that callers download, and what their addresses are signed with. */
export interface EdgeMedia {
  readonly files: MediaFiles
  readonly signer: UrlSigner
}

export interface MirrorRoutesDeps extends RouteKit {
  readonly mirrors: MirrorKeyDeps
}

export interface DeviceRoutesDeps extends RouteKit {
  readonly devices: DeviceSignInDeps
}

export interface KeyRoutesDeps extends RouteKit {
  readonly followers: FollowerKeysDeps
}

export interface HealthRoutesDeps extends RouteKit {
  readonly readHealth: () => Promise<HealthReply>
}
