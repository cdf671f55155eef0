/** A reason not to start that the person at the terminal can act on: its message is the one line that is shown. */
export class LaunchError extends Error {}
