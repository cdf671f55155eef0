/** A command cannot do what was asked, for a reason that the operator can mend. */
export class AdminError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'AdminError'
  }
}
