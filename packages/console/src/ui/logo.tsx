/** The mark of the product. */
export function Logo({ size = 24 }: { readonly size?: number }) {
  return <img src="/console/assets/icon.svg" width={size} height={size} alt="" />
}
