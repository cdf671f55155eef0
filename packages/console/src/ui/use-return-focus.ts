import { useState } from 'react'

/** What had the focus; of a menu, whose items go as soon as one is chosen, the button that has opened it. */
function focusedPlace(): HTMLElement | null {
  const focused = document.activeElement
  const menu = focused?.closest('[role=menu]')
  const place = menu == null ? focused : document.getElementById(menu.getAttribute('aria-labelledby') ?? '')
  return place instanceof HTMLElement && place !== document.body ? place : null
}

/** Where the person was before anything opened above the page: a second step takes the place of the first. */
let onPage: HTMLElement | null = null

function placesBack(): readonly (HTMLElement | null)[] {
  const place = focusedPlace()
  if (place?.closest('[role=dialog]') == null) onPage = place
  return [place, onPage]
}

/**
 * For what opens above the page: after closing, the person goes on where they were, or with the content where that
 * place is gone.
 *
 * @returns the handler of Radix's `onCloseAutoFocus`, which knows its own triggers alone.
 */
export function useReturnFocus(): (event: Event) => void {
  const [places] = useState(placesBack)
  return (event) => {
    event.preventDefault()
    const target = places.find((place) => place?.isConnected === true) ?? document.getElementById('content')
    target?.focus({ preventScroll: true })
  }
}
