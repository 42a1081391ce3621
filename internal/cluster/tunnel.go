package cluster

import "github.com/cnibench/cnibench/internal/lab/supply"

// Images of Konnectivity, upstream's, which labs have under the same names.
const (
	KonnectivityServerImage = supply.KonnectivityServerImage
	KonnectivityAgentImage  = supply.KonnectivityAgentImage
)

// OpenVPNImage is where OpenVPN is looked for: labs have an image with it,
// elsewhere it must be in the image of load pods.
func (c *Cluster) OpenVPNImage() string {
	if m, ok := c.Machines.(interface{ OpenVPNImage() string }); ok {
		return m.OpenVPNImage()
	}
	return c.ToolsImage()
}

// OpenVPNImage is an image that labs have on demand.
func (m labMachines) OpenVPNImage() string { return supply.OpenVPNImage }
