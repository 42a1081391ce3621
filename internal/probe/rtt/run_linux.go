package rtt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Run watches the taps until ctx ends. It calls ready when every packet that
// passes from then on is seen, or when it knows that none will be; then the
// report says why, and Run does not wait.
func Run(ctx context.Context, spec Spec, ready func(Ready) error) (Report, error) {
	if err := spec.Validate(); err != nil {
		return Report{}, err
	}
	machine, err := ThisMachine()
	if err != nil {
		return Report{}, err
	}
	why := machine.Unsupported()
	var watching []*observer
	if why == "" {
		watching, err = watch(spec)
		defer func() {
			for _, o := range watching {
				_ = o.close() // stopped before, or about to end with the process
			}
		}()
		if refused(err) {
			why, err = err.Error(), nil
		}
		if err != nil {
			return Report{}, err
		}
	}
	if why != "" {
		return Report{Unsupported: why}, ready(Ready{Unsupported: why})
	}
	var r Ready
	for _, o := range watching {
		r.Places = append(r.Places, o.place)
	}
	if err := ready(r); err != nil {
		return Report{}, err
	}
	return collect(ctx, spec.Interval, watching)
}

// refused tells errors of a kernel that does not let us from mistakes.
func refused(err error) bool {
	return errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, errors.ErrUnsupported)
}

// watch puts the programs in place, everywhere or nowhere.
func watch(spec Spec) (watching []*observer, err error) {
	for _, tap := range spec.Taps {
		at, err := watchTap(tap, spec)
		watching = append(watching, at...)
		if err != nil {
			for _, o := range watching {
				err = errors.Join(err, o.close())
			}
			return nil, fmt.Errorf("tap %s: %w", tap.Name, err)
		}
	}
	return watching, nil
}

func watchTap(tap Tap, spec Spec) (watching []*observer, err error) {
	netns, err := netnsOf(tap)
	if err != nil {
		return nil, err
	}
	err = inside(netns, func() error {
		found, err := devices(tap)
		for _, d := range found {
			d.netns = netns
			o, err := observe(tap, d, spec)
			if err != nil {
				return err
			}
			watching = append(watching, o)
		}
		return err
	})
	return watching, err
}

// collect cuts intervals until ctx ends, then takes the programs off and reads
// the rest.
func collect(ctx context.Context, every time.Duration, watching []*observer) (Report, error) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for running := true; running; {
		select {
		case <-ctx.Done():
			running = false
			for _, o := range watching {
				if err := o.stop(); err != nil {
					return Report{}, err
				}
			}
		case <-ticker.C:
		}
		for _, o := range watching {
			if err := o.cut(); err != nil {
				return Report{}, err
			}
		}
	}
	var report Report
	for _, o := range watching {
		device, err := o.report()
		if err != nil {
			return Report{}, err
		}
		report.Devices = append(report.Devices, device)
	}
	return report, nil
}
