// Nothing but a reason to precompile cmake/precompiled.h.
