import { type RefObject, useEffect, useRef } from 'react'

/** So near the end counts as its end, in pixels: half a line that a browser rounds away is none. */
const NEAR = 48

const page = (): Element => document.scrollingElement ?? document.documentElement

const isAtEnd = (): boolean => page().scrollHeight - page().clientHeight - page().scrollTop < NEAR

/**
 * Keeps the end of what grows in view, until the reader scrolls away from it; from there on it stays where they read,
 * and goes on when they are back at the end.
 *
 * @param place another one, or more turns in it, begins at the end.
 * @returns goes to what grows.
 */
export function useFollow(place: string): RefObject<HTMLDivElement | null> {
  const grows = useRef<HTMLDivElement>(null)
  const follows = useRef(true)
  useEffect(() => {
    const listen = (): void => {
      follows.current = isAtEnd()
    }
    addEventListener('scroll', listen, { passive: true })
    return () => removeEventListener('scroll', listen)
  }, [])
  useEffect(() => {
    const element = grows.current
    if (element === null) return undefined
    const goToEnd = (): void => {
      if (follows.current) page().scrollTop = page().scrollHeight
    }
    follows.current = true
    goToEnd()
    const observer = new ResizeObserver(goToEnd)
    observer.observe(element)
    return () => observer.disconnect()
  }, [place])
  return grows
}
