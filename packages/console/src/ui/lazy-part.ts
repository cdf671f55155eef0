/** Parts of the app that load when they are needed, over networks that fail and from gateways that are renewed. */
import { type ComponentType, createElement, lazy, type LazyExoticComponent, type ReactNode, useState } from 'react'
import { isReloadedFor, reloadFor } from './reload-once.ts'
import { untilReached } from '../api/connection.ts'

/** A part is missing at a gateway that can be reached, also after the page was loaded anew. */
export class MissingPartError extends Error {
  constructor(cause: unknown) {
    super('A part of this page could not be loaded. Load the page anew.', { cause })
    this.name = 'MissingPartError'
  }
}

/**
 * Loads a part, and waits for the gateway where it cannot be reached. A part that is gone belongs to a version before
 * an upgrade: the page is loaded anew, once.
 *
 * @param isOptional whether the page goes on without it: then nothing is loaded anew.
 * @throws {MissingPartError}
 */
async function arrive<Part>(load: () => Promise<Part>, isOptional: boolean): Promise<Part> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await load()
    } catch (error) {
      await untilReached()
      // The first may have failed since the gateway was away.
      if (tries === 1) continue
      if (isOptional || isReloadedFor(error)) throw new MissingPartError(error)
      reloadFor(error)
      // Nothing is shown of a page that goes.
      await new Promise(() => undefined)
    }
  }
}

type Loaded<Props> = () => Promise<ComponentType<Props>>

/**
 * A component in a module of its own.
 *
 * @param orElse is shown in its place where it cannot be loaded; without one the page cannot be without it.
 */
export function lazyPart<Props extends object = object>(
  load: Loaded<Props>,
  orElse?: ComponentType<Props>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    const arrived = arrive(load, orElse !== undefined)
    return { default: orElse === undefined ? await arrived : await arrived.catch(() => orElse) }
  })
}

/**
 * A page in a module of its own. The router loads it before it is seen.
 *
 * @param name of the component in its module. Its type is not looked at: it depends on that of all addresses.
 * @param ask asks for what the page shows first, while its module is on its way.
 */
export function lazyPage<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
  ask: () => unknown = () => undefined,
) {
  let loaded: ComponentType | null = null
  const take = async (): Promise<ComponentType> => (loaded = (await load())[name] as ComponentType)
  const Part = lazyPart(take)
  // At once where it is there: the frame of the page then knows that the page before is gone.
  const Page = (): ReactNode => createElement(useState(() => loaded ?? Part)[0])
  const ignore = (): void => undefined
  const preload = (): Promise<void> => {
    void ask()
    return take().then(ignore, ignore)
  }
  return Object.assign(Page, { preload })
}
