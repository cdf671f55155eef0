/** What upstreams say themselves that they have billed. Part of the composition. */
import { setTimeout as pauseFor } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { proxiesOf } from '../config/find-proxy.ts'
import { OPENROUTER_URL } from '../config/resolve-upstreams.ts'
import { openOpenRouterFigures } from '../upstreams/openrouter/openrouter-figures.ts'
import type { UpstreamFigures } from '../upstreams/upstream-figures.ts'

/** By upstream; those that tell no figures, or have no key for them, are missing. */
export type OpenFigures = ReadonlyMap<string, UpstreamFigures>

/** Opens them. Nothing is asked yet. */
export function openFigures(
  config: Pick<Config, 'proxy'> & { readonly upstreams: readonly Config['upstreams'][number][] },
): OpenFigures {
  const findProxy = proxiesOf(config)
  return new Map(
    config.upstreams.flatMap(({ name, url, activityKey: key }) =>
      key === null
        ? []
        : [
            [
              name,
              openOpenRouterFigures({ name, url: url ?? OPENROUTER_URL, key, findProxy, pause: pauseFor }),
            ] as const,
          ],
    ),
  )
}
