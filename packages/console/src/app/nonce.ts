declare global {
  // The name by which the dialog library's style helper finds the nonce of the page.
  var __webpack_nonce__: string | undefined
}

/** Lets styles that components add at run time pass the page's policy. */
export function applyNonce(): void {
  globalThis.__webpack_nonce__ = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content
}
