package probe

// FrameKernel is the kind of the frame that answers the command kernel: a
// Report of package kernel.
const FrameKernel = "kernel"
